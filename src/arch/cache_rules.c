/* SPDX-License-Identifier: Apache-2.0
 * The rows of cache_rules.def, with the facts of fact.def. */
#include "arch/cache_rules.h"

#include "arch/arch.h"

static const ifl_cache_rules rows[] = {
#define RULES(from, to, text, ...) {.first = from, .last = to, .source = text, __VA_ARGS__},
#include "arch/cache_rules.def"
#undef RULES
};

/* 3.5 in a file is a number, not a pair. */
static bool is_within(double compute_capability, double first, double last)
{
    const double nearly = 0.01;
    return compute_capability > first - nearly && compute_capability < last + nearly;
}

bool ifl_cache_rules_find(double compute_capability, ifl_cache_rules *out)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!is_within(compute_capability, rows[i].first, rows[i].last))
            continue;
        *out = rows[i];
        const ifl_arch arch = ifl_arch_of(compute_capability);
        out->l1_ways = (uint32_t)arch.l1_ways;
        out->l2_ways = (uint32_t)arch.l2_ways;
        out->l2_dirty_ways = (uint32_t)arch.l2_dirty_ways;
        out->l2_part_ways = (uint32_t)arch.l2_part_ways;
        out->queue_requests = (uint32_t)arch.queue_requests;
        out->spare_shared_times = (uint32_t)arch.spare_shared_times;
        out->spare_shared_kib = (uint32_t)arch.spare_shared_kib;
        out->spare_blocks_kib = (uint32_t)arch.spare_blocks_kib;
        out->l1_most_share = arch.l1_most_share;
        return true;
    }
    return false;
}
