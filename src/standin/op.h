/* SPDX-License-Identifier: Apache-2.0
 * The things that a stream does. A call makes one; the stream runs it at once, or keeps it in the
 * graph that it is being captured into. */
#ifndef IFL_STANDIN_OP_H
#define IFL_STANDIN_OP_H

#include "standin/array.h"
#include "standin/binary.h"
#include "standin/handle.h"
#include "standin/state.h"

typedef enum ifl_op_kind {
    IFL_DO_EMPTY_NODE,
    IFL_DO_KERNEL,
    IFL_DO_COPY,
    IFL_DO_SET,
    IFL_DO_HOST,
    IFL_DO_EVENT_RECORD,
    IFL_DO_EVENT_WAIT,
    IFL_DO_CHILD_GRAPH,
    IFL_DO_ALLOCATE,
    IFL_DO_RELEASE, /* of a graph's memory, which stays */
    IFL_DO_FREE,
    IFL_DO_CONDITION,
    IFL_DO_WRITE_VALUE,
    IFL_DO_WAIT_VALUE,
    IFL_DO_WORDS /* several of these two, one after the other: nodes of graphs */
} ifl_op_kind;

typedef struct ifl_op_kernel {
    ifl_ready_kernel
        *kernel; /* which lives as long as the session, unlike the handle that named it */
    uint32_t grid[3], block[3];
    uint32_t cluster[3];    /* 0: none */
    ifl_dim3 asked_cluster; /* by the launch, and not by the kernel; 0: none */
    bool cooperative;
    bool
        is_programmatic; /* the launch allows it to begin before the kernel ahead of it has ended */
    uint64_t shared_bytes;
    int shared_preference; /* device/shared_size.h */
    const void *function;  /* as the program names it */
    int gpu;
    uint8_t *
        params; /* owned: the parameter block, and room for the addresses of the parameters in it */
    char site[160];
} ifl_op_kernel;

/* Room for a kernel's parameters, zeros; NULL without memory. */
uint8_t *ifl_op_params_new(const ifl_ready_kernel *kernel);
/* Where each parameter of the launch lies: as long as the operation lives. */
void **ifl_op_arguments(const ifl_op_kernel *k);

/* A box of bytes: rows of `width` bytes, `height` of them `pitch` apart, `depth` slices `slice`
 * apart. */
typedef struct ifl_op_copy {
    void *to;
    const void *from;
    size_t to_offset, from_offset; /* of the box from them */
    size_t to_pitch, to_slice, from_pitch, from_slice;
    size_t width, height, depth;
    int kind;                    /* IFL_HOST_TO_HOST ... */
    void *to_array, *from_array; /* handles, as they were given; NULL: memory */
} ifl_op_copy;

typedef struct ifl_op_set {
    void *to;
    size_t pitch, slice;
    size_t width, height, depth; /* width in elements */
    unsigned element_bytes;      /* 1, 2 or 4 */
    uint32_t value;
} ifl_op_set;

typedef struct ifl_op_host {
    void (*call)(void *user);
    void (*callback)(void *stream, ifl_cuda_error code,
                     void *user); /* of cudaStreamAddCallback; else NULL */
    void *user;
    void *stream;
} ifl_op_host;

typedef struct ifl_op_memory {
    void *address;
    uint64_t bytes;
} ifl_op_memory;

/* A word that a stream writes, or waits for (CUDA Driver API, "Stream Memory Operations"). */
typedef enum ifl_value_test {
    IFL_VALUE_AT_LEAST, /* their difference is not negative */
    IFL_VALUE_EQUAL,
    IFL_VALUE_AND, /* some bit is set in both */
    IFL_VALUE_NOR  /* some bit is set in neither */
} ifl_value_test;

typedef struct ifl_op_value {
    uintptr_t address; /* a multiple of the bytes */
    uint64_t value;
    unsigned bytes;      /* 4 or 8 */
    ifl_value_test test; /* of a wait */
} ifl_op_value;

/* CUstreamBatchMemOpParams */
typedef struct ifl_word_step {
    int operation;
    uintptr_t address;
    uint64_t value;
    unsigned flags;
    uint64_t unused[2];
} ifl_word_step;

typedef struct ifl_op_words {
    void *context; /* as the program named it */
    unsigned count, flags;
    ifl_word_step *steps; /* owned */
} ifl_op_words;

/* A conditional node: graphs that it owns, of which the condition's value chooses. */
typedef enum ifl_condition_type {
    IFL_CONDITION_IF,
    IFL_CONDITION_WHILE,
    IFL_CONDITION_SWITCH
} ifl_condition_type;

typedef struct ifl_op_condition {
    uint64_t handle;
    int type;
    unsigned count;            /* of bodies */
    struct ifl_graph **bodies; /* owned; NULL: none made yet */
    uint32_t initial;
    bool resets; /* to `initial` when the whole graph is launched */
} ifl_op_condition;

typedef struct ifl_op {
    ifl_op_kind kind;
    bool is_external; /* of an event: in a capture it is a node, and orders nothing there */
    union {
        ifl_op_kernel kernel;
        ifl_op_copy copy;
        ifl_op_set set;
        ifl_op_host host;
        void *event; /* a handle: the event may be gone when this runs */
        struct ifl_graph *child;
        ifl_op_memory memory;
        ifl_op_condition condition;
        ifl_op_value value;
        ifl_op_words words;
    } of;
} ifl_op;

ifl_cuda_error ifl_copy_kind_check(int kind);
/* The operations that the calls of copying make; the last fails where the box is none. */
ifl_op ifl_copy_line_op(void *to, const void *from, size_t bytes, int kind);
ifl_op ifl_copy_sides_op(const ifl_array_side *to, const ifl_array_side *from,
                         const ifl_extent *bytes, int kind);
ifl_cuda_error ifl_copy_box_op(const ifl_copy3d *box, ifl_op *op);
/* Makes it and gives it to the stream. */
ifl_cuda_error ifl_copy_box_give(ifl_session *session, const ifl_copy3d *box, void *stream);
/* A box that makes the same copy, in units of so many bytes. */
void ifl_copy_op_box(const ifl_op_copy *copy, size_t unit_bytes, ifl_copy3d *box);
/* The unit in which the runtime's boxes count: an element of the array that takes part, or a
 * byte. */
size_t ifl_copy_unit(const void *to_array, const void *from_array);
/* Copies to and from a variable; they fail where it is none, or does not hold the bytes. */
ifl_cuda_error ifl_copy_to_symbol_op(ifl_session *session, const void *symbol, const void *from,
                                     size_t bytes, size_t offset, int kind, ifl_op *op);
ifl_cuda_error ifl_copy_from_symbol_op(ifl_session *session, void *to, const void *symbol,
                                       size_t bytes, size_t offset, int kind, ifl_op *op);

/* cudaDevAttrMaxPitch, which device_attribute.def tells: the largest pitch of a copy. */
enum { IFL_MOST_PITCH = 2147483647 };

/* One side of a copied box, as CUDA's structures give it. */
typedef struct ifl_box_side {
    size_t x, y, z; /* of the box: bytes, rows, slices */
    size_t pitch, rows;
} ifl_box_side;

/* Where a box of width × height × depth begins, in bytes from the side's start, and how far its
 * slices are apart. cudaErrorInvalidValue where the box does not lie within the side's rows, or
 * reaches further than addresses do. */
ifl_cuda_error ifl_box_find(const ifl_box_side *side, const ifl_extent *box, size_t *offset,
                            size_t *slice);
/* The same for a fill of elements, which becomes an operation. */
ifl_cuda_error ifl_fill_op(const ifl_op_set *fill, ifl_op *op);

/* What a step does: nothing, where it only orders memory; false: it is no step. */
bool ifl_word_step_op(const ifl_word_step *step, ifl_op *op);
/* Whether a wait for a word is over; one for memory that is gone is. */
bool ifl_op_is_met(ifl_session *session, const ifl_op_value *wait);

/* Does it now; the lock is held, but not while a host function runs. */
ifl_cuda_error ifl_op_run(ifl_session *session, const ifl_op *op);
/* Graphs that the program fills, in a conditional node that has none yet; false without memory. */
bool ifl_op_make_bodies(ifl_op_condition *condition);
/* A copy that owns what it holds; false without memory. `owner`: the kind of the graph that it is
 * for, which decides whether a program may look into graphs that it holds. */
bool ifl_op_copy_of(const ifl_op *from, ifl_op *to, ifl_handle_kind owner);
void ifl_op_clear(ifl_op *op);

#endif
