/* SPDX-License-Identifier: Apache-2.0
 * Zeros in shared memory (PTX ISA 9.0, "st.bulk"; UMEMSETS). Done at once, and not counted: no
 * document says what it costs. */
#include "code/bulk.h"
#include "exec/warp.h"

#include <string.h>

static bool fill(ifl_warp *warp, const ifl_code *code, const char *frame, uint32_t lane)
{
    enum { UNIT = 8 };
    const ifl_fill_op *op = code->extra;
    uint8_t space = op->to.space;
    const uint64_t address = ifl_warp_place(warp, &space, ifl_lane_address(&op->to, frame, lane)),
                   count = op->count_bits == 64
                               ? ((const uint64_t *)ifl_slot((char *)frame, op->count))[lane]
                               : ifl_lane_u32(frame, op->count, lane),
                   bytes = count * op->unit_bytes;
    if (address % UNIT || bytes % UNIT || count > UINT32_MAX) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "%llu bytes of shared memory from 0x%llx on to fill with zeros: both must "
                        "be multiples of 8",
                        (unsigned long long)bytes, (unsigned long long)address);
        return false;
    }
    uint8_t *at =
        bytes ? ifl_warp_reach_run(warp, code, (ifl_space)space, lane, address, bytes, true) : NULL;
    if (at)
        memset(at, 0, bytes);
    return at || !bytes;
}

ifl_reason ifl_slow_shared_fill(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                                uint32_t active)
{
    (void)active;
    const ifl_fill_op *op = code->extra;
    bool is_right = true;
    for (uint32_t m = op->is_once ? mask & -mask : mask; m && is_right; m &= m - 1)
        is_right = fill(warp, code, frame, (uint32_t)__builtin_ctz(m));
    warp->changed = true;
    return is_right ? IFL_REASON_NONE : IFL_REASON_FAULT;
}
