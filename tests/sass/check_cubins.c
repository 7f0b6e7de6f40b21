/* SPDX-License-Identifier: Apache-2.0
 * What a cubin says about its own code, held against the decoder: where its EXITs are, how many
 * registers it takes, and that branches stay inside. No word is unknown. With --flip the same
 * cubins with single bits flipped go through reading, decoding and analysis, which must survive
 * them.
 *
 *     check_cubins FILE...
 *     check_cubins --flip FILE... */
#include "sass/sass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 16, REGISTER_ZERO = 255, TEXT_BYTES = 512 };

typedef struct tally {
    uint64_t instructions, kernels, failures;
} tally;

static void fail(tally *t, const ifl_machine_kernel *k, uint32_t offset, const char *what)
{
    t->failures++;
    printf("%s, sm_%" PRIu32 ", at 0x%" PRIx32 ": %s\n", k->name, k->sm, offset, what);
}

static bool is_exit(const ifl_sass_instruction *in)
{
    return in->op == IFL_SASS_OP_EXIT;
}

static bool is_listed(const ifl_machine_kernel *k, uint32_t offset)
{
    for (size_t i = 0; i < k->exit_count; i++)
        if (k->exits[i] == offset)
            return true;
    return false;
}

static void check_operand(tally *t, const ifl_machine_kernel *k, const ifl_sass_instruction *in,
                          const ifl_sass_operand *operand)
{
    if (operand->kind == IFL_SASS_TARGET &&
        (operand->value < 0 || (uint64_t)operand->value >= k->code_bytes ||
         operand->value % WORD_BYTES))
        fail(t, k, in->offset, "the target is outside of the function");
    if (operand->kind == IFL_SASS_REGISTER && operand->is_destination &&
        operand->index != REGISTER_ZERO && k->registers &&
        operand->index + (operand->count ? operand->count : 1u) > k->registers)
        fail(t, k, in->offset, "the destination is above the register count");
}

static void check_instruction(tally *t, const ifl_machine_kernel *k,
                              const ifl_sass_decoder *decoder, uint32_t offset, size_t *exits)
{
    ifl_sass_instruction in;
    char line[TEXT_BYTES];
    t->instructions++;
    if (!ifl_sass_decode(decoder, k->code + offset, offset, &in)) {
        fail(t, k, offset, ifl_sass_text(&in, line, sizeof line));
        return;
    }
    for (unsigned i = 0; i < in.operand_count; i++)
        check_operand(t, k, &in, &in.operand[i]);
    if (!is_exit(&in))
        return;
    ++*exits;
    if (k->is_kernel && k->exit_count && !is_listed(k, offset))
        fail(t, k, offset, "EXIT is not among EXIT_INSTR_OFFSETS");
}

static ifl_status check_cubin(void *user, const ifl_machine *cubin, ifl_error *error)
{
    tally *t = user;
    (void)error;
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        const ifl_machine_kernel *k = &cubin->kernels[i];
        size_t exits = 0;
        ifl_sass_decoder decoder;
        ifl_sass_decoder_init(&decoder, k->sm);
        t->kernels++;
        for (uint64_t at = 0; at + WORD_BYTES <= k->code_bytes; at += WORD_BYTES)
            check_instruction(t, k, &decoder, (uint32_t)at, &exits);
        if (k->is_kernel && exits != k->exit_count)
            fail(t, k, 0, "not as many EXITs as EXIT_INSTR_OFFSETS has");
    }
    return IFL_OK;
}

static bool check_file(tally *t, const char *path)
{
    ifl_error error;
    if (ifl_machine_each(path, 0, check_cubin, t, &error) == IFL_OK)
        return true;
    printf("%s: %s\n", path, error.text);
    return false;
}

/* ---- flipped bits ---------------------------------------------------------------------------- */

static void analyze_all(const ifl_machine *machine)
{
    ifl_error error;
    for (size_t i = 0; i < machine->kernel_count; i++) {
        ifl_arena arena = {0};
        ifl_sass_kernel kernel;
        ifl_sass_analyze(&machine->kernels[i], &arena, &kernel, &error);
        ifl_arena_free(&arena);
    }
}

static void read_flipped(const uint8_t *bytes, size_t size)
{
    ifl_error error;
    ifl_machine *machine = ifl_machine_new("flipped");
    if (machine && ifl_machine_read_cubin("flipped", bytes, size, machine, &error) == IFL_OK)
        analyze_all(machine);
    ifl_machine_free(machine);
}

/* Bits all over the file, the same ones in every run: steps of a prime number of bits. */
static bool flip_file(const char *path)
{
    enum { FLIPS = 10 };
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        return false;
    }
    const size_t size = (size_t)ftell(file);
    uint8_t *bytes = malloc(size);
    rewind(file);
    const bool is_read = bytes && fread(bytes, 1, size, file) == size;
    fclose(file);
    const uint64_t bits = (uint64_t)size * 8, step = bits / FLIPS + 7919;
    for (uint64_t at = 3; is_read && at < bits; at += step) {
        bytes[at / 8] ^= (uint8_t)(1u << at % 8);
        read_flipped(bytes, size);
        bytes[at / 8] ^= (uint8_t)(1u << at % 8);
    }
    free(bytes);
    return is_read;
}

int main(int argc, char **argv)
{
    const bool is_flipping = argc > 1 && strcmp(argv[1], "--flip") == 0;
    tally t = {0};
    bool is_good = argc > 1 + is_flipping;
    for (int i = 1 + is_flipping; i < argc; i++)
        is_good &= is_flipping ? flip_file(argv[i]) : check_file(&t, argv[i]);
    printf("%" PRIu64 " instructions of %" PRIu64 " kernels, %" PRIu64 " failures\n",
           t.instructions, t.kernels, t.failures);
    return is_good && !t.failures ? EXIT_SUCCESS : EXIT_FAILURE;
}
