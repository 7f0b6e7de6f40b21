/* SPDX-License-Identifier: Apache-2.0
 * Where the machine code of a launch and its PTX differ, from a run of each: by source line and
 * kind of access. */
#ifndef IFL_PROFILE_CODE_DIFFERENCE_H
#define IFL_PROFILE_CODE_DIFFERENCE_H

#include "base/error.h"
#include "base/vec.h"
#include "code/access_kind.h"

typedef enum ifl_code_change {
#define CHANGE(name, text, sentence) IFL_CHANGE_##name,
#include "profile/code_difference.def"
    IFL_CHANGES
} ifl_code_change;

const char *ifl_code_change_text(ifl_code_change change);     /* "merged" */
ifl_code_change ifl_code_change_named(const char *text);      /* IFL_CHANGES: none */
const char *ifl_code_change_sentence(ifl_code_change change); /* "" for IFL_CHANGE_SAME */

/* What one of the two does in a line. */
typedef struct ifl_code_side {
    uint64_t instructions;
    uint64_t requests; /* of warps */
    uint64_t bytes;    /* that lanes ask for */
    uint64_t moved;    /* sectors, on chip wavefronts */
} ifl_code_side;

typedef struct ifl_code_difference {
    const char *
        /* without folders; NULL: the whole kernel, since one of the two has no line information */
        file;
    uint32_t line;
    ifl_traffic_kind traffic;
    ifl_code_side ptx, machine;
    ifl_code_change change; /* never SAME */
} ifl_code_difference;

typedef IFL_VEC(ifl_code_difference) ifl_code_difference_list;

#endif
