/* SPDX-License-Identifier: Apache-2.0
 * Streams and events. What a stream is given is done at once, so that streams never overlap; waiting finds everything
 * done. Events read ifl_session_clock. */
#ifndef IFL_STANDIN_STREAM_H
#define IFL_STANDIN_STREAM_H

#include "standin/op.h"

typedef struct ifl_stream {
    uint32_t magic;
    unsigned flags;
    int priority;
    uint64_t id;
    struct ifl_graph *capture;  /* the graph that it is being captured into; NULL: none */
    bool began_capture;         /* this stream's capture, and not one that it joined */
    int capture_mode;
} ifl_stream;

typedef struct ifl_event {
    uint32_t magic;
    unsigned flags;
    bool is_recorded;
    double microseconds;
    struct ifl_graph *capture; /* recorded in a stream that was being captured */
} ifl_event;

/* The stream behind a handle: the default ones have small numbers. NULL: no stream. */
ifl_stream *ifl_stream_of(void *handle);
ifl_event *ifl_event_of(void *handle);
void ifl_event_note(const ifl_session *session, ifl_event *event);

/* The capture into the graph is over: no stream is in it any more. */
void ifl_streams_leave(const struct ifl_graph *graph);
bool ifl_stream_add(ifl_stream *stream);
void ifl_stream_remove(ifl_stream *stream);

/* Runs the operation, or keeps it while the stream is captured. The operation is the caller's still. */
ifl_cuda_error ifl_stream_give(ifl_session *session, void *stream, const ifl_op *op);

#endif
