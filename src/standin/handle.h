/* SPDX-License-Identifier: Apache-2.0
 * The objects that programs hold by their addresses, all kinds in one table. A handle is looked up
 * here before anything is read through it: a freed one, one of another kind and an address of the
 * program's own are then no handles. Looking is safe from any thread; what keeps a found object
 * alive is the lock of state.h. */
#ifndef IFL_STANDIN_HANDLE_H
#define IFL_STANDIN_HANDLE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum ifl_handle_kind {
    IFL_HANDLE_NONE,
    IFL_HANDLE_STREAM,
    IFL_HANDLE_EVENT,
    IFL_HANDLE_GRAPH,
    IFL_HANDLE_EXEC, /* a graph that was instantiated */
    IFL_HANDLE_NODE,
    IFL_HANDLE_POOL,
    IFL_HANDLE_FATBIN, /* a binary that nvcc's code registers */
    IFL_HANDLE_MODULE, /* a binary that the program loads */
    IFL_HANDLE_FUNCTION,
    IFL_HANDLE_CONTEXT,
    IFL_HANDLE_GREEN,     /* a green context */
    IFL_HANDLE_RESOURCES, /* what one is made of */
    IFL_HANDLE_LINK,
    IFL_HANDLE_MEMORY, /* that a program maps itself */
    IFL_HANDLE_ARRAY,
    IFL_HANDLE_MIPMAPS,
    IFL_HANDLE_LOG,    /* a callback of the driver's log */
    IFL_HANDLE_NOTICE, /* a callback of a GPU's */
    IFL_HANDLE_USER_OBJECT
} ifl_handle_kind;

/* False without memory. */
bool ifl_handle_add(ifl_handle_kind kind, void *object);
void ifl_handle_remove(const void *object);
/* The object behind a handle; NULL: there is none of the kind. */
void *ifl_handle_find(ifl_handle_kind kind, const void *handle);
/* The table's own lock, for those whose lists go with it (binary.c). It is held for a look only,
 * and nothing is called under it that could wait: libraries register their binaries while the
 * dynamic linker's lock is held. */
void ifl_handles_lock(void);
void ifl_handles_unlock(void);
/* In a process that was forked: none of the table's objects is its own, and another thread may have
 * held the lock. */
void ifl_handles_forget(void);

/* All of a kind, in no order: begin with *at 0; NULL past the last. */
void *ifl_handle_next(ifl_handle_kind kind, size_t *at);

#endif
