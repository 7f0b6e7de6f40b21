/* SPDX-License-Identifier: Apache-2.0
 * See constant_header.h. */
#include "sass/constant_header.h"

#include "code/code.h"

static const struct {
    uint16_t first_sm, last_sm;
    uint32_t offset;
    ifl_constant_word word;
} words[] = {
#define WORD(first_sm, last_sm, offset, kind, value)                                               \
    {first_sm, last_sm, offset, {IFL_CONSTANT_##kind, value}},
#include "sass/constant_header.def"
};

ifl_constant_word ifl_constant_header(uint32_t sm, uint32_t offset)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sm >= words[i].first_sm && sm <= words[i].last_sm && words[i].offset == offset)
            return words[i].word;
    return (ifl_constant_word){IFL_CONSTANT_UNKNOWN, 0};
}

uint32_t ifl_sass_parameter_base(uint32_t sm)
{
    enum { OF_SM_75 = 0x160, OF_SM_90 = 0x210, OF_SM_100 = 0x380 };
    return sm < 90 ? OF_SM_75 : sm < 100 ? OF_SM_90 : OF_SM_100;
}

uint64_t ifl_sass_local_bytes(const ifl_machine_kernel *kernel)
{
    return kernel->min_stack_bytes > kernel->frame_bytes ? kernel->min_stack_bytes
                                                         : kernel->frame_bytes;
}

uint64_t ifl_sass_param_bytes(const ifl_machine_kernel *kernel)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < kernel->parameter_count; i++) {
        const uint64_t end = (uint64_t)kernel->parameters[i].offset + kernel->parameters[i].bytes;
        bytes = end > bytes ? end : bytes;
    }
    return bytes;
}
