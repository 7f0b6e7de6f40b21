/* SPDX-License-Identifier: Apache-2.0
 * What the answer to clusterlaunchcontrol.try_cancel says. */
#include "code/bulk.h"
#include "exec/warp.h"

static uint32_t part_of_answer(const uint32_t *word, ifl_answer what)
{
    enum { HALF = 16 };
    switch (what) {
    case IFL_ANSWER_GRANTED:
        return word[2] & 1;
    case IFL_ANSWER_X:
        return word[0];
    case IFL_ANSWER_Y:
        return word[1] & UINT16_MAX;
    case IFL_ANSWER_Z:
        return word[1] >> HALF;
    default:
        return 0;
    }
}

ifl_reason ifl_slow_answer(ifl_warp *warp, const ifl_code *code, char *frame, uint32_t mask,
                           uint32_t active)
{
    (void)warp, (void)active;
    enum { WORDS = 4 };
    const uint32_t *answer = ifl_slot(frame, code->a);
    uint32_t granted = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(m),
                       part =
                           part_of_answer(answer + (size_t)lane * WORDS, (ifl_answer)code->count);
        granted |= (part & 1) << lane;
        if (code->count != IFL_ANSWER_GRANTED)
            ((uint32_t *)ifl_slot(frame, code->d))[lane] = part;
    }
    if (code->count == IFL_ANSWER_GRANTED) {
        uint32_t *to = ifl_slot(frame, code->d);
        *to = (*to & ~mask) | (granted & mask);
    }
    return IFL_REASON_NONE;
}
