/* SPDX-License-Identifier: Apache-2.0
 * The .nv.info sections of a cubin: what ptxas says of a kernel. It knows attributes, not ELF. */
#ifndef IFL_SASS_NV_INFO_H
#define IFL_SASS_NV_INFO_H

#include "base/vec.h"
#include "sass/elf_image.h"
#include "sass/sass.h"

/* What is gathered of one kernel while the sections are read. */
typedef struct ifl_nv_facts {
    uint32_t registers, frame_bytes, min_stack_bytes, barriers, param_base;
    uint32_t cluster[3], max_cluster_blocks;
    bool needs_cluster;
    uint32_t max_threads[3];
    IFL_VEC(ifl_machine_parameter) parameters;
    IFL_VEC(uint32_t) exits;
    IFL_VEC(uint32_t) jump_targets;
    IFL_VEC(uint32_t) externs; /* symbols of functions that it calls and that others provide */
} ifl_nv_facts;

void ifl_nv_facts_free(ifl_nv_facts *facts);

/* The facts of the function that symbol `symbol` names, or NULL when it has no section of its
 * own. */
typedef ifl_nv_facts *(*ifl_nv_owner)(void *user, uint32_t symbol);

/* Reads .nv.info, whose attributes name their function. */
ifl_status ifl_nv_info_read_file(const ifl_elf_image *image, const ifl_elf_section *section,
                                 ifl_nv_owner owner, void *user, ifl_error *error);
/* Reads the .nv.info.NAME of one kernel. */
ifl_status ifl_nv_info_read_kernel(const ifl_elf_image *image, const ifl_elf_section *section,
                                   ifl_nv_facts *facts, ifl_error *error);

#endif
