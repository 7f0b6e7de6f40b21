/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes the decoder: an architecture, how much room the text has, then words. What comes out stays
 * in its bounds. */
#include "sass/sass.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check(const ifl_sass_instruction *in, size_t room)
{
    require(in->operand_count <= IFL_SASS_OPERANDS && in->sass_class < IFL_SASS_CLASSES);
    for (unsigned i = 0; i < in->operand_count; i++)
        require(in->operand[i].kind != IFL_SASS_NONE && in->operand[i].kind <= IFL_SASS_TARGET);
    char *text = malloc(room); /* of exactly this size, so that AddressSanitizer sees the end */
    if (!text)
        return;
    require(ifl_sass_text(in, text, room) == text && strlen(text) < room);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t targets[] = {75, 80, 86, 87, 89, 90, 100, 103, 120, 121, 70};
    enum { HEAD = 2, WORD_BYTES = 16 };
    if (size < HEAD)
        return 0;
    const uint32_t sm = targets[data[0] % (sizeof targets / sizeof *targets)];
    const size_t room = 1u + data[1];
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, sm);
    for (size_t at = HEAD; at + WORD_BYTES <= size; at += WORD_BYTES) {
        ifl_sass_instruction in;
        const bool is_known = ifl_sass_decode(&decoder, data + at, (uint32_t)(at - HEAD), &in);
        require(is_known == (in.op != IFL_SASS_OP_UNKNOWN));
        check(&in, room);
    }
    return 0;
}
