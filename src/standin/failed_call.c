/* SPDX-License-Identifier: Apache-2.0
 * See failed_call.h. */
#include "standin/failed_call.h"

#include "base/figure.h"
#include "base/vec.h"
#include "standin/error_log.h"
#include "standin/state.h"

#include <string.h>

typedef struct failed_call {
    const char *call;
    int code;
    bool is_driver;
    uint64_t count;
    char site[96]; /* of the first */
} failed_call;

static IFL_VEC(failed_call) calls;

/* ---- what is no news ------------------------------------------------------------------------- */

/* Of calls that only ask, by what their names have in common. */
static const char *const asks[] = {"Get", "Query", "Peek", "Choose", "Occupancy", "IsCapturing"};

/* What is done already, what is told where it occurs, and what programs try to see whether there is
 * such a thing. The driver has the same numbers. */
static const int expected[] = {
    ifl_cudaErrorNotReady,
    ifl_cudaErrorPeerAccessAlreadyEnabled,
    ifl_cudaErrorPeerAccessNotEnabled,
    ifl_cudaErrorHostMemoryAlreadyRegistered,
    ifl_cudaErrorHostMemoryNotRegistered,
    ifl_cudaErrorMemoryAllocation,
    ifl_cudaErrorNotSupported,
    ifl_cudaErrorNotPermitted,
};

static _Thread_local bool asks_whether;

void ifl_failed_call_expect(void)
{
    asks_whether = true;
}

static bool is_expected(const char *call, int code)
{
    const bool is_asking = asks_whether;
    asks_whether = false;
    if (is_asking)
        return true;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (expected[i] == code)
            return true;
    for (size_t i = 0; i < sizeof asks / sizeof *asks; i++)
        if (strstr(call, asks[i]))
            return true;
    return strncmp(call, "cu", 2) != 0; /* a part of a call */
}

/* ---- those that are told --------------------------------------------------------------------- */

void ifl_failed_call_note(const char *call, const void *from, int code, bool is_driver)
{
    failed_call made = {.call = call, .code = code, .is_driver = is_driver, .count = 1};
    if (is_expected(call, code))
        return;
    for (size_t i = 0; i < calls.count; i++)
        if (calls.at[i].code == code && strcmp(calls.at[i].call, call) == 0) {
            calls.at[i].count++;
            return;
        }
    ifl_state_site(from, made.site, sizeof made.site);
    (void)ifl_vec_push(&calls, made);
}

static const char *name_of(int code, bool is_driver)
{
    static const struct {
        int number;
        const char *name;
        bool is_driver;
    } names[] = {
#define ERROR(name, number, text) {number, #name, false},
#include "standin/cuda_error.def"
#undef ERROR
#define DRIVER_ERROR(name, number) {number, #name, true},
#include "standin/driver_error.def"
#undef DRIVER_ERROR
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == code && names[i].is_driver == is_driver)
            return names[i].name;
    return "an unknown code";
}

static const char *text_of(ifl_arena *arena, const failed_call *of)
{
    if (of->count == 1)
        return ifl_arena_printf(arena, "%s failed with %s, called from %s", of->call,
                                name_of(of->code, of->is_driver), of->site);
    return ifl_arena_printf(arena, "%s failed %s times with %s, first called from %s", of->call,
                            ifl_figure_count(of->count).text, name_of(of->code, of->is_driver),
                            of->site);
}

void ifl_failed_call_log(const char *call, int code, bool is_driver)
{
    if (strncmp(call, "cu", 2) == 0) /* else a part of a call */
        ifl_error_log_call(call, code, name_of(code, is_driver));
}

const char **ifl_failed_call_texts(ifl_arena *arena, size_t *count)
{
    const char **texts = ifl_arena_alloc(arena, (calls.count + 1) * sizeof *texts);
    *count = texts ? calls.count : 0;
    for (size_t i = 0; i < *count; i++)
        if (!(texts[i] = text_of(arena, &calls.at[i])))
            *count = i;
    return texts;
}

void ifl_failed_calls_free(void)
{
    ifl_vec_free(&calls);
}
