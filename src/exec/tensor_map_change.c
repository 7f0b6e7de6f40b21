/* SPDX-License-Identifier: Apache-2.0
 * Kernels that change descriptions of tensors (tensormap.replace, tensormap.cp_fenceproxy; machine
 * code has loads and stores for them). Where the fields lie is code/tensor_map.c's matter. */
#include "code/bulk.h"
#include "code/tensor_map.h"
#include "exec/warp.h"

#include <string.h>

/* A lane's end of the instruction; NULL after a fault. */
static uint8_t *reach(ifl_warp *warp, const ifl_code *code, const ifl_transfer *end,
                      const char *frame, uint32_t lane, uint64_t bytes)
{
    uint8_t space = end->space;
    const uint64_t address = ifl_warp_place(warp, &space, ifl_lane_address(end, frame, lane));
    if (address % bytes) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "a description of a tensor at 0x%llx: it must be aligned to %u bytes",
                        (unsigned long long)address, (unsigned)bytes);
        return NULL;
    }
    return ifl_warp_reach_in(warp, code, (ifl_space)space, lane, address, bytes,
                             end->kind == IFL_ACCESS_STORE);
}

ifl_reason ifl_slow_map_field(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                              uint32_t active)
{
    (void)active;
    const ifl_map_op *op = code->extra;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint8_t *at = reach(warp, code, &op->to, frame, lane, IFL_TENSOR_TOLD_BYTES);
        const uint64_t value = op->value_bits == 64
                                   ? ((const uint64_t *)ifl_slot(frame, op->value))[lane]
                                   : ifl_lane_u32(frame, op->value, lane);
        if (!at)
            return IFL_REASON_FAULT;
        ifl_tensor_map_replace(at, (ifl_tensor_map_field)op->field, op->ordinal, value);
    }
    warp->changed = true;
    return IFL_REASON_NONE;
}

/* All lanes have the same addresses (PTX ISA 9.0, "tensormap.cp_fenceproxy": .aligned). */
ifl_reason ifl_slow_map_copy(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                             uint32_t active)
{
    (void)active;
    const ifl_map_op *op = code->extra;
    if (!mask)
        return IFL_REASON_NONE;
    const uint32_t lane = (uint32_t)__builtin_ctz(mask);
    const uint8_t *from = reach(warp, code, &op->from, frame, lane, IFL_TENSOR_MAP_BYTES);
    uint8_t *to = from ? reach(warp, code, &op->to, frame, lane, IFL_TENSOR_MAP_BYTES) : NULL;
    if (!to)
        return IFL_REASON_FAULT;
    memcpy(to, from, IFL_TENSOR_MAP_BYTES);
    warp->changed = true;
    return IFL_REASON_NONE;
}
