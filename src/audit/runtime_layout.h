/* SPDX-License-Identifier: Apache-2.0
 * A copy of libcudart_static.a inside an object that was stripped. NVIDIA links the same object
 * file into cuBLAS, cuRAND, cuSPARSE, cuSOLVER, cuDNN and NCCL as nvcc links into programs, and a
 * linker moves its code as a whole. The table of exception handling (.eh_frame_hdr), which strip
 * keeps, says where every function of an object starts. So the copy is where all starts (1,676 of
 * them in CUDA 13.0) have the distances that they have in the archive, whose symbols name them. Where
 * a build's archive is not to be had, the shared library of the same build tells
 * (runtime_shared.h). */
#ifndef IFL_AUDIT_RUNTIME_LAYOUT_H
#define IFL_AUDIT_RUNTIME_LAYOUT_H

#include "audit/object_file.h"

typedef struct ifl_layout_call {
    const char *name;
    uint32_t offset; /* bytes from the first function of the copy, or IFL_LAYOUT_BEFORE */
} ifl_layout_call;

/* It is the function before the first one. */
#define IFL_LAYOUT_BEFORE (UINT32_MAX - 1)

/* Of one build of the archive, or of a part of it. */
typedef struct ifl_runtime_layout {
    uint32_t functions; /* how many start in its code */
    uint32_t span;      /* bytes from the start of the first to the start of the last */
    uint64_t starts;    /* ifl_starts_hash */
    bool continues;     /* a further part of the build before it */
    ifl_layout_call *calls;
    size_t call_count;
} ifl_runtime_layout;

/* What the distances of ascending starts from the first one come to: FNV-1a of 64 bits over their
 * words of 32 bits. */
uint64_t ifl_starts_hash(const uint32_t *distances, size_t count);

/* Whether the object has one copy of that layout; where its first function and the one before that
 * are in the object, 0: none is. */
bool ifl_layout_find(const ifl_object_file *file, const ifl_runtime_layout *layout, uint64_t *first,
                     uint64_t *before);

/* Row `index` of runtime_layout.def. False past the last and without memory; `out->calls` is for
 * free(). */
bool ifl_layout_known(size_t index, ifl_runtime_layout *out);

#endif
