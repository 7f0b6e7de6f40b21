/* SPDX-License-Identifier: Apache-2.0
 * See green.h. */
#include "standin/green.h"

#include "standin/stream.h"

static _Thread_local const ifl_green *current;

const ifl_green *ifl_green_current(void)
{
    return current;
}

void ifl_green_choose(const ifl_green *green)
{
    current = green;
}

const ifl_green *ifl_green_of_stream(void *handle)
{
    const ifl_stream *stream = ifl_stream_is_default(handle) ? NULL : ifl_stream_of(handle);
    return stream ? stream->green : current;
}

unsigned ifl_green_sms(const ifl_session *session, void *stream)
{
    const ifl_green *green = ifl_green_of_stream(stream);
    return green ? green->sms : (unsigned)ifl_session_device(session)->value[IFL_DEVICE_sms];
}
