/* SPDX-License-Identifier: Apache-2.0
 * The GPU's global memory as the engine sees it: allocations at device addresses of our own
 * choosing, the same in every run, each with a guard gap around it, so that an access outside of
 * every allocation is known as one. */
#ifndef IFL_EXEC_MEMORY_H
#define IFL_EXEC_MEMORY_H

#include "base/error.h"

typedef struct ifl_memory ifl_memory;

enum {
    IFL_ALLOCATION_READ_ONLY = 1 << 0, /* kernel parameters, memory that is mapped so */
    IFL_ALLOCATION_UNWRITTEN =
        1 << 1, /* nothing has written it: reads are worth a warning on request */
    IFL_ALLOCATION_DEVICE = 1 << 2, /* from the kernel's own malloc */
    IFL_ALLOCATION_FREED = 1 << 3,  /* kept, so that a use after free can be named */
    IFL_ALLOCATION_MODULE =
        1 << 4, /* a variable of the module or the parameters, not the caller's buffer */
    IFL_ALLOCATION_ADOPTED = 1 << 5, /* the caller's bytes */
    IFL_ALLOCATION_HOST =
        1 << 6, /* the program has a pointer to them: they change without a call */
    IFL_ALLOCATION_MANAGED = 1 << 7,   /* a variable that the program may have a pointer to */
    IFL_ALLOCATION_MULTICAST = 1 << 8, /* stands for several: `copies` */
    IFL_ALLOCATION_PINNED = 1 << 9,    /* the host's memory, which kernels reach over the bus */
    IFL_ALLOCATION_CONSTANT = 1 << 10  /* constant variables: kernels may write them by address */
};

/* In front of what a kernel's malloc gives lie bytes that a kernel may use: nvcc keeps the count of
 * `new T[n]` there. An H200 leaves that room too. */
enum { IFL_HEAP_FRONT = 16 };

typedef struct ifl_allocation {
    uint64_t address; /* device address of the first byte */
    uint64_t bytes;
    uint8_t *host;   /* the first byte here; zeroed at first */
    uint32_t flags;  /* IFL_ALLOCATION_* */
    char label[112]; /* for messages: "argument 3, f32×1000" */
    uint32_t gpu;    /* whose memory it is, where several GPUs share the addresses */
    uint64_t id;     /* never that of another allocation */
    uint64_t
        /* stands for its bytes: a new one with each change that a call or a launch makes, an old one
         * where what it held then is put back (session/repeat.c) */
        version;
    uint64_t read_by, changed_by; /* the last launch that did, as ifl_memory_launch counts them */
    uint8_t *const *copies;       /* the first byte of each of those that it stands for */
    uint32_t copy_count;
} ifl_allocation;

ifl_status ifl_memory_new(ifl_memory **out, ifl_error *error);
void ifl_memory_free(ifl_memory *memory);

/* `misalign` bytes (below 256) move the start off the 256-byte alignment that cudaMalloc gives.
 * Zeroed pages come from the system as they are touched; asking for more than the machine can hold
 * is IFL_NO_MEMORY. The allocation stays where it is until the memory is freed. */
ifl_status ifl_memory_allocate(ifl_memory *memory, uint64_t bytes, uint32_t misalign,
                               uint32_t flags, const char *label, ifl_allocation **out,
                               ifl_error *error);
/* Bytes that are there already, at a device address of the caller's choice: host memory that
 * kernels reach at the host's own address (page-locked, mapped, managed). They stay the caller's.
 * IFL_USAGE where they would lie over another allocation. */
ifl_status ifl_memory_adopt(ifl_memory *memory, uint64_t address, void *host, uint64_t bytes,
                            const char *label, ifl_allocation **out, ifl_error *error);
/* It is memory of the host, which kernels reach over the bus. */
void ifl_memory_pin(ifl_memory *memory, ifl_allocation *allocation);
bool ifl_memory_is_pinned(const ifl_memory *memory, uint64_t address);
/* Adopts an address that stands for several memories (a multicast object): stores and reductions
 * go to all, and only an instruction that combines them reads. The list stays the caller's. */
ifl_status ifl_memory_adopt_copies(ifl_memory *memory, uint64_t address, uint8_t *const *copies,
                                   uint32_t count, uint64_t bytes, const char *label,
                                   ifl_allocation **out, ifl_error *error);
/* What stands for several at the address; NULL: nothing does. */
const ifl_allocation *ifl_memory_copies(const ifl_memory *memory, uint64_t address);
/* Some allocation stands for several, or did: what launches use is not known by allocation. */
bool ifl_memory_has_copies(const ifl_memory *memory);
/* Moves the bytes to where the host has them at the device's address too: `host` is another then.
 * False: it could not. */
bool ifl_memory_show_at_address(ifl_allocation *allocation);
/* A file that holds the bytes from now on, so that other processes can map them from its start; -1:
 * there can be none. It is the allocation's and is closed with it. Nothing that others write counts
 * as a change here. */
int ifl_memory_share(ifl_allocation *allocation);
/* Gives the bytes back. The place is remembered as freed, so that a later use can be named; the
 * oldest such places are forgotten when there are many. An adopted one is forgotten at once: the
 * host may use the address again. */
void ifl_memory_drop(ifl_memory *memory, ifl_allocation *allocation);
/* Writes zeros. Large ranges go back to the system, which gives them zeroed where they are touched
 * again: programs that measure clear as much as an L2 holds before each launch, and never look at
 * it. */
void ifl_memory_clear(ifl_allocation *allocation, uint64_t offset, uint64_t bytes);
/* The allocation that holds an address, freed ones too; NULL when none does. */
ifl_allocation *ifl_memory_find(const ifl_memory *memory, uint64_t address);
/* Somebody beside a kernel changes its bytes. */
void ifl_memory_changed(ifl_memory *memory, ifl_allocation *allocation);
/* From now on every allocation remembers which of its bytes have been written; false without
 * memory. */
bool ifl_memory_track(ifl_memory *memory);
/* Somebody beside a kernel writes these, where that is remembered. */
void ifl_memory_note_written(ifl_allocation *allocation, uint64_t offset, uint64_t bytes);
/* The number of the launch that runs, or of the last one: from 1 on. */
uint64_t ifl_memory_launch(const ifl_memory *memory);
/* Whether the address is among those that allocations were given so far, gaps and freed ones
 * too. */
bool ifl_memory_spans(const ifl_memory *memory, uint64_t address);
/* The bytes that this machine has for all allocations together; UINT64_MAX: not known. */
uint64_t ifl_memory_of_machine(void);
/* Bytes of the allocations that are not freed, adopted ones left out. */
uint64_t ifl_memory_total(const ifl_memory *memory);
size_t ifl_memory_count(const ifl_memory *memory);
/* By index, ascending by address. */
ifl_allocation *ifl_memory_at(const ifl_memory *memory, size_t index);

#endif
