/* SPDX-License-Identifier: Apache-2.0
 * The special function unit of src/exec/mufu.c against hashes of what a GPU's gave
 * (tests/gpu/h200/mufu.txt).
 *
 *     mufu_replay FILE          the blocks of 2^20 inputs that FILE names, and the 16-bit types
 *     mufu_replay FILE --all    all 2^32 inputs of each function: minutes */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/approximate.h"
#include "exec/mufu.h"

static uint32_t ex2_f16(uint32_t x)
{
    return ifl_ex2_approx_f16((uint16_t)x);
}

static uint32_t tanh_f16(uint32_t x)
{
    return ifl_tanh_approx_f16((uint16_t)x);
}

static uint32_t ex2_bf16(uint32_t x)
{
    return ifl_ex2_approx_bf16((uint16_t)x);
}

static uint32_t tanh_bf16(uint32_t x)
{
    return ifl_tanh_approx_bf16((uint16_t)x);
}

static const struct {
    const char *name;
    uint32_t (*of)(uint32_t x);
    uint64_t inputs;
} functions[] = {
    {"rcp", ifl_mufu_rcp, UINT64_C(1) << 32},
    {"rsq", ifl_mufu_rsq, UINT64_C(1) << 32},
    {"sqrt", ifl_mufu_sqrt, UINT64_C(1) << 32},
    {"lg2", ifl_mufu_lg2, UINT64_C(1) << 32},
    {"ex2", ifl_mufu_ex2, UINT64_C(1) << 32},
    {"sin", ifl_mufu_sin, UINT64_C(1) << 32},
    {"cos", ifl_mufu_cos, UINT64_C(1) << 32},
    {"tanh", ifl_mufu_tanh, UINT64_C(1) << 32},
    {"rcp64h", ifl_mufu_rcp64h, UINT64_C(1) << 32},
    {"rsq64h", ifl_mufu_rsq64h, UINT64_C(1) << 32},
    {"ex2_f16", ex2_f16, 1 << 16},
    {"tanh_f16", tanh_f16, 1 << 16},
    {"ex2_bf16", ex2_bf16, 1 << 16},
    {"tanh_bf16", tanh_bf16, 1 << 16},
};
enum { function_count = sizeof functions / sizeof *functions };

static uint64_t hash(size_t f, uint64_t first, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t x = first; x < first + count; x++) {
        const uint64_t v = (x << 32 | functions[f].of((uint32_t)x)) * UINT64_C(0x9e3779b97f4a7c15);
        sum += v ^ v >> 29;
    }
    return sum;
}

static size_t function_named(const char *name)
{
    size_t f = 0;
    while (f < function_count && strcmp(functions[f].name, name) != 0)
        f++;
    return f;
}

/* False with a line on stderr when a hash differs. */
static bool check(const char *name, const char *block, uint64_t expected, bool wants_all)
{
    const size_t f = function_named(name);
    const bool is_all = strcmp(block, "all") == 0;
    if (f == function_count) {
        fprintf(stderr, "mufu_replay: no function %s\n", name);
        return false;
    }
    if (is_all && functions[f].inputs > 1 << 16 && !wants_all)
        return true;
    const uint64_t is = is_all ? hash(f, 0, functions[f].inputs)
                               : hash(f, strtoull(block, NULL, 16) << 20, 1 << 20);
    if (is != expected)
        fprintf(stderr, "%s of %s: %016" PRIx64 ", the GPU's %016" PRIx64 "\n", name, block, is,
                expected);
    return is == expected;
}

int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file)
        return fprintf(stderr, "usage: mufu_replay FILE [--all]\n"), 1;
    char line[200], name[32], block[32];
    unsigned bad = 0, lines = 0;
    uint64_t expected;
    while (fgets(line, sizeof line, file))
        if (line[0] != '#' && sscanf(line, "%31s %31s %" SCNx64, name, block, &expected) == 3) {
            bad += !check(name, block, expected, argc > 2);
            lines++;
        }
    fclose(file);
    printf("%u of %u hashes differ\n", bad, lines);
    return bad > 0 || lines == 0;
}
