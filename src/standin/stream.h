/* SPDX-License-Identifier: Apache-2.0
 * Streams and events. What a stream is given is done at once, so that streams never overlap, unless
 * a kernel waits for what comes later (later.h). Events read ifl_session_clock. */
#ifndef IFL_STANDIN_STREAM_H
#define IFL_STANDIN_STREAM_H

#include "base/vec.h"
#include "standin/op.h"

#include <pthread.h>

/* What a program sets of a stream and nothing here obeys: the part of the L2 that is to persist,
 * how the host waits, domains. */
enum { IFL_STREAM_ATTRIBUTES = 11, IFL_STREAM_ATTRIBUTE_BYTES = 32 };

struct ifl_node;
typedef IFL_VEC(struct ifl_node *) ifl_node_list;
bool ifl_node_is_among(const ifl_node_list *list, const struct ifl_node *node);

typedef struct ifl_stream {
    unsigned flags;
    int priority;
    uint64_t id;
    int gpu;
    const struct ifl_green *green; /* the green context that it was made in; NULL: none */
    struct ifl_graph *capture;     /* the graph that it is being captured into; NULL: none */
    bool began_capture;            /* this stream's capture, and not one that it joined */
    bool made_graph;               /* and the graph for it */
    int capture_mode;
    pthread_t capture_thread; /* that began it */
    ifl_node_list follows;    /* nodes of the capture that the stream's next one waits for */
    uint8_t attribute[IFL_STREAM_ATTRIBUTES][IFL_STREAM_ATTRIBUTE_BYTES];
} ifl_stream;

typedef struct ifl_event {
    unsigned flags;
    int gpu;
    bool is_recorded;
    double microseconds;
    struct ifl_graph *capture; /* recorded in a stream that was being captured */
    ifl_node_list follows;     /* what that stream's next node waited for then */
} ifl_event;

/* The stream behind a handle: the default ones, of the chosen GPU, have small numbers. NULL: no
 * stream. */
ifl_stream *ifl_stream_of(void *handle);
bool ifl_stream_is_legacy(const ifl_stream *stream);
/* One of the default ones, which nobody makes. */
bool ifl_stream_is_default(const void *handle);
/* Every stream but the legacy ones. */
void ifl_streams_visit(void (*visit)(void *user, ifl_stream *stream), void *user);
ifl_event *ifl_event_of(void *handle);
/* The event was reached now; NULL: it is gone. */
void ifl_event_note(const ifl_session *session, ifl_event *event);

/* The range that cudaDeviceGetStreamPriorityRange tells; other priorities are brought into it. */
enum { IFL_LEAST_PRIORITY = 0, IFL_GREATEST_PRIORITY = -5 };
ifl_cuda_error ifl_stream_new(ifl_stream **out, unsigned flags, int priority);
/* cudaErrorInvalidResourceHandle: it is no stream that a program made. A capture that it began is
 * over. */
ifl_cuda_error ifl_stream_destroy(void *handle);
enum { IFL_EVENT_NO_TIMING = 2, IFL_EVENT_INTERPROCESS = 4 };
ifl_cuda_error ifl_event_new(ifl_event **out, unsigned flags);
ifl_cuda_error ifl_event_destroy(void *handle);
/* The stream is captured, and what other streams of its capture did last comes before what it does
 * next (CUDA C++ Programming Guide, "Cross-stream Dependencies and Events"). */
bool ifl_stream_joins_all(const ifl_stream *stream);

/* A call that a stream that is being captured does not allow, which spoils the capture; of the
 * legacy stream one that captures of others do not; else cudaSuccess. */
ifl_cuda_error ifl_stream_check_idle(const ifl_stream *stream);

/* The stream begins to be captured into the graph; whether any is that has not ended. */
void ifl_stream_begin(ifl_stream *stream, struct ifl_graph *graph);
bool ifl_streams_are_captured(void);

/* The next node that is captured in the stream waits for these too, or, where they replace what it
 * waited for, for these alone. False without memory. */
bool ifl_stream_follow(ifl_stream *stream, struct ifl_node *const *nodes, size_t count,
                       bool replaces);
/* The event stands for what the stream's next node waits for. False without memory. */
bool ifl_event_capture(ifl_event *event, const ifl_stream *stream);
/* The capture into the graph is over: no stream is in it any more, and no event knows it. */
void ifl_streams_leave(const struct ifl_graph *graph);

/* The node is destroyed: no stream and no event waits for it. */
void ifl_streams_forget(const struct ifl_node *node);

/* Runs the operation, or keeps it while the stream is captured. The operation is the caller's
 * still. */
ifl_cuda_error ifl_stream_give(ifl_session *session, void *stream, const ifl_op *op);

#endif
