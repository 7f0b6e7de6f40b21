/* SPDX-License-Identifier: Apache-2.0
 * The decoder's side of tools/check-sass: cuts instruction words out of files, as raw code that
 * nvdisasm reads too, and prints such code as the decoder reads it. Knows nothing of nvdisasm.
 *
 *     sass_words targets FILE             the architectures that a file has machine code for
 *     sass_words cut FILE SM COUNT        raw code: COUNT words drawn from all, and up to SHAPE_WORDS of every
 *                                         combination of row and modifiers; with COUNT 0 all code as it stands
 *     sass_words text SM                  raw code on stdin: lines of offset, text, control, split by tabs
 *     sass_words rate SM    raw code on stdin: instructions decoded a second, without and with text */
#include "sass/sass.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    WORD_BYTES = 16,
    SHAPE_WORDS = 6,
    SHAPES = 1 << 16, /* slots of a hash table: a power of two, far more than there are shapes */
    TEXT_BYTES = 512
};

typedef struct sample {
    ifl_sass_decoder decoder;
    uint64_t wanted, seen, random;
    uint8_t *words;
    uint8_t shape_words[SHAPES];
} sample;

/* ---- cut ------------------------------------------------------------------------------------- */

static void write_word(const uint8_t *word)
{
    if (fwrite(word, WORD_BYTES, 1, stdout) != 1) {
        perror("sass_words");
        exit(EXIT_FAILURE);
    }
}

/* xorshift64: the same words in every run. */
static uint64_t next_random(sample *s)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return s->random;
}

/* FNV-1a over the row and the modifiers; words of no row share a shape for each opcode. */
static uint32_t shape_of(const ifl_sass_instruction *in)
{
    enum { OPCODE_BITS = 0xfff };
    uint32_t hash = 2166136261u;
    const unsigned row = in->op ? in->row : OPCODE_BITS + (unsigned)(in->word[0] & OPCODE_BITS);
    hash = (hash ^ (row & 0xff)) * 16777619u;
    hash = (hash ^ row >> 8) * 16777619u;
    char mnemonic[TEXT_BYTES];
    for (const char *c = ifl_sass_mnemonic(in, mnemonic, sizeof mnemonic); *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    return hash % SHAPES;
}

/* Of `wanted` words each of all that come by has the same chance (Vitter's algorithm R). */
static void draw(sample *s, const uint8_t *word)
{
    const uint64_t at = s->seen++;
    const uint64_t to = at < s->wanted ? at : next_random(s) % s->seen;
    if (to < s->wanted)
        memcpy(s->words + to * WORD_BYTES, word, WORD_BYTES);
}

static void take(sample *s, const uint8_t *word)
{
    ifl_sass_instruction in;
    ifl_sass_decode(&s->decoder, word, 0, &in);
    uint8_t *taken = &s->shape_words[shape_of(&in)];
    if (*taken < SHAPE_WORDS) {
        ++*taken;
        write_word(word);
    }
    draw(s, word);
}

static ifl_status cut_cubin(void *user, const ifl_machine *cubin, ifl_error *error)
{
    sample *s = user;
    (void)error;
    for (size_t k = 0; k < cubin->kernel_count; k++)
        for (uint64_t at = 0; at + WORD_BYTES <= cubin->kernels[k].code_bytes; at += WORD_BYTES) {
            const uint8_t *word = cubin->kernels[k].code + at;
            if (s->wanted)
                take(s, word);
            else
                write_word(word);
        }
    return IFL_OK;
}

static int cut(const char *path, uint32_t sm, uint64_t count)
{
    static sample s;
    ifl_error error;
    s = (sample){.wanted = count, .random = 88172645463325252u};
    ifl_sass_decoder_init(&s.decoder, sm);
    s.words = count ? calloc(count, WORD_BYTES) : NULL;
    if (count && !s.words) {
        perror("sass_words");
        return EXIT_FAILURE;
    }
    const ifl_status status = ifl_machine_each(path, sm, cut_cubin, &s, &error);
    if (status != IFL_OK)
        fprintf(stderr, "%s: %s\n", path, error.text);
    for (uint64_t i = 0; i < s.wanted && i < s.seen; i++)
        write_word(s.words + i * WORD_BYTES);
    free(s.words);
    return status == IFL_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* ---- text ------------------------------------------------------------------------------------ */

static void print_guard(const ifl_sass_instruction *in)
{
    enum { ALWAYS = 7 };
    const char *kind = in->guard_uniform ? "UP" : "P";
    if (in->guard != ALWAYS)
        printf("@%s%s%u ", in->guard_negated ? "!" : "", kind, in->guard);
    else if (in->guard_negated)
        printf("@!%sT ", kind);
}

/* Bn scoreboards waited for, Rn and Wn scoreboards set, Y, Sn cycles, as docs/sass.md shows
 * them. */
static void print_control(const ifl_sass_instruction *in)
{
    enum { SCOREBOARDS = 6 };
    putchar('B');
    for (unsigned i = 0; i < SCOREBOARDS; i++)
        putchar(in->wait_mask >> i & 1 ? '0' + (int)i : '-');
    printf(":R%c", in->read_barrier < SCOREBOARDS ? '0' + in->read_barrier : '-');
    printf(":W%c", in->write_barrier < SCOREBOARDS ? '0' + in->write_barrier : '-');
    printf(":%c:S%02u", in->yield ? 'Y' : '-', in->stall);
}

static int text(uint32_t sm)
{
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, sm);
    uint8_t word[WORD_BYTES];
    char line[TEXT_BYTES];
    for (uint32_t offset = 0; fread(word, sizeof word, 1, stdin) == 1; offset += WORD_BYTES) {
        ifl_sass_instruction in;
        ifl_sass_decode(&decoder, word, offset, &in);
        printf("%x\t", offset);
        if (in.op)
            print_guard(&in);
        printf("%s\t", ifl_sass_text(&in, line, sizeof line));
        print_control(&in);
        putchar('\n');
    }
    return EXIT_SUCCESS;
}

/* ---- rate ------------------------------------------------------------------------------------ */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double rate_of(const ifl_sass_decoder *decoder, const uint8_t *words, size_t count,
                      bool with_text)
{
    char line[TEXT_BYTES];
    size_t done = 0;
    const double start = seconds();
    do {
        for (size_t i = 0; i < count; i++) {
            ifl_sass_instruction in;
            ifl_sass_decode(decoder, words + i * WORD_BYTES, 0, &in);
            if (with_text)
                ifl_sass_text(&in, line, sizeof line);
        }
        done += count;
    } while (seconds() - start < 0.5);
    return (double)done / (seconds() - start);
}

static int rate(uint32_t sm)
{
    ifl_sass_decoder decoder;
    ifl_sass_decoder_init(&decoder, sm);
    enum { MOST = 1 << 18 };
    uint8_t *words = malloc((size_t)MOST * WORD_BYTES);
    const size_t count = words ? fread(words, WORD_BYTES, MOST, stdin) : 0;
    if (!count) {
        fputs("sass_words: no words\n", stderr);
        free(words);
        return EXIT_FAILURE;
    }
    printf("%zu words: %.2f M/s decoded, %.2f M/s with text\n", count,
           1e-6 * rate_of(&decoder, words, count, false),
           1e-6 * rate_of(&decoder, words, count, true));
    free(words);
    return EXIT_SUCCESS;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static int targets(const char *path)
{
    ifl_machine_target_list list;
    ifl_error error;
    if (ifl_machine_targets(path, &list, &error) != IFL_OK) {
        fprintf(stderr, "%s: %s\n", path, error.text);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < list.count; i++)
        printf("%" PRIu32 "\n", list.sm[i]);
    return EXIT_SUCCESS;
}

static uint32_t number(const char *word)
{
    return (uint32_t)strtoul(word, NULL, 10);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "targets") == 0)
        return targets(argv[2]);
    if (argc == 5 && strcmp(argv[1], "cut") == 0)
        return cut(argv[2], number(argv[3]), number(argv[4]));
    if (argc == 3 && strcmp(argv[1], "text") == 0)
        return text(number(argv[2]));
    if (argc == 3 && strcmp(argv[1], "rate") == 0)
        return rate(number(argv[2]));
    fputs("usage: sass_words targets FILE | cut FILE SM COUNT | text SM | rate SM\n", stderr);
    return EXIT_FAILURE;
}
