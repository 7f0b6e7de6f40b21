/* SPDX-License-Identifier: Apache-2.0
 * See kernel_writer.h. A kernel loads its inputs into pools of registers, mixes them by random
 * statements, and stores the pools. Forms of instructions are those that tests/unit/lane_h200.def
 * holds one by one; here they meet memory, divergence and each other. */
#include "kernel_writer.h"

#include "approximation.h"
#include "statement.h"

#include <stdbool.h>
#include <string.h>

/* ---- random numbers -------------------------------------------------------------------------- */

/* splitmix64, Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014). */
static uint64_t next(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

typedef struct writer {
    FILE *out;
    uint64_t state;
    unsigned labels;
    unsigned depth; /* of branches: where lanes may be apart, nothing warp-wide is written */
} writer;

static unsigned below(writer *w, unsigned limit)
{
    return (unsigned)(next(&w->state) % limit);
}

/* ---- forms ----------------------------------------------------------------------------------- */

typedef struct form {
    const char *text;
    int sources;
} form;

static const form forms[] = {
#define HARDWARE(text, sources, hash) {text, sources},
#include "lane_h200.def"
#undef HARDWARE
};

enum { FORMS = sizeof forms / sizeof *forms };

static bool has_part(const char *text, const char *part)
{
    const char *at = strstr(text, part);
    return at && (at[strlen(part)] == '.' || !at[strlen(part)]);
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* A product or sum without a rounding may be fused with another, and hardware and the PTX ISA part
 * over a few conversions: lane_h200.def names them. */
static bool is_exact(const char *text)
{
    const bool fusible = (begins(text, "add.") || begins(text, "sub.") || begins(text, "mul.")) &&
                         (strstr(text, ".f") || strstr(text, ".bf"));
    const bool is_rounded =
        strstr(text, ".rn") || strstr(text, ".rz") || strstr(text, ".rm") || strstr(text, ".rp");
    const bool parts = (begins(text, "cvt.rm.") || begins(text, "cvt.rp.")) && strstr(text, ".ftz");
    return !(fusible && !is_rounded) && !parts && !strstr(text, "tf32");
}

/* ---- what is left out ------------------------------------------------------------------------ */

/* Pieces are the forms, then redux, which small statements have, then the statements of a table. */
enum { REDUX = FORMS, FIRST_STATEMENT, MOST_PIECES = FORMS + 1000 };

static bool left_out[MOST_PIECES];

void kernel_leave_out(size_t piece)
{
    if (piece < MOST_PIECES)
        left_out[piece] = true;
}

/* Says where it begins; false: it is left out. */
static bool begin_piece(writer *w, size_t piece)
{
    if (piece < MOST_PIECES && left_out[piece])
        return false;
    fprintf(w->out, KERNEL_PIECE "\n", piece);
    return true;
}

/* ---- forms, by a kernel ---------------------------------------------------------------------- */

size_t kernel_form_count(void)
{
    return FORMS;
}

const char *kernel_form(size_t index)
{
    return index < FORMS ? forms[index].text : NULL;
}

/* A step that has no factor in common with the number of forms walks over all of them. */
static size_t form_index(uint64_t seed, unsigned index)
{
    const uint64_t step = 1021;
    return (size_t)((seed * KERNEL_FORMS + index) * step % FORMS);
}

const char *kernel_form_of(uint64_t seed, unsigned index)
{
    const form *f = &forms[form_index(seed, index)];
    return is_exact(f->text) ? f->text : NULL;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* The register that holds a type: 16, 32 or 64 bits, 1 for a predicate. */
static unsigned register_bits(const char *type, size_t length)
{
    static const struct {
        const char *name;
        unsigned bits;
    } types[] = {{"u8", 16},    {"s8", 16},     {"b8", 16},     {"u16", 16},    {"s16", 16},
                 {"b16", 16},   {"f16", 16},    {"bf16", 16},   {"u32", 32},    {"s32", 32},
                 {"b32", 32},   {"f32", 32},    {"f16x2", 32},  {"bf16x2", 32}, {"u16x2", 32},
                 {"s16x2", 32}, {"e4m3x2", 16}, {"e5m2x2", 16}, {"u64", 64},    {"s64", 64},
                 {"b64", 64},   {"f64", 64}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, type, length) == 0)
            return types[i].bits;
    return 0;
}

/* The types at the end of a form, the last first; others' bits are 0. */
static void last_types(const char *text, unsigned bits[2])
{
    const char *end = text + strlen(text);
    bits[0] = bits[1] = 0;
    for (unsigned found = 0; found < 2 && end > text; end--) {
        const char *dot = end - 1;
        while (dot > text && *dot != '.')
            dot--;
        const unsigned now = *dot == '.' ? register_bits(dot + 1, (size_t)(end - dot - 1)) : 0;
        if (now)
            bits[found++] = now;
        end = dot + 1;
        if (dot == text)
            return;
    }
}

typedef struct shape {
    unsigned to;
    unsigned from[4];
} shape;

static bool is_any(const char *text, const char *const *starts)
{
    for (; *starts; starts++)
        if (begins(text, *starts))
            return true;
    return false;
}

/* PTX ISA: what each instruction takes beside values of its own type. */
static shape shape_of(const char *text)
{
    static const char *const counts[] = {"popc.", "clz.", "bfind.", NULL};
    static const char *const shifts[] = {"shl.", "shr.", NULL};
    static const char *const two[] = {"cvt.", "set.", NULL};
    unsigned last[2];
    last_types(text, last);
    shape s = {.to = last[0], .from = {last[0], last[0], last[0], last[0]}};
    if (is_any(text, counts))
        s.to = 32;
    else if (is_any(text, shifts))
        s.from[1] = 32;
    else if (begins(text, "cvt.pack."))
        s = (shape){.to = 32, .from = {32, 32, 32}};
    else if (is_any(text, two))
        s.to = last[1];
    else if (begins(text, "setp.") || begins(text, "testp."))
        s.to = 1;
    else if (begins(text, "slct."))
        s = (shape){.to = last[1], .from = {last[1], last[1], last[0]}};
    else if (begins(text, "bfe."))
        s.from[1] = s.from[2] = 32;
    else if (begins(text, "bfi."))
        s.from[2] = s.from[3] = 32;
    else if (has_part(text, ".wide"))
        s.to = 2 * last[0], s.from[2] = 2 * last[0];
    else if (begins(text, "prmt.") || begins(text, "dp4a.") || begins(text, "dp2a."))
        s = (shape){.to = 32, .from = {32, 32, 32}};
    return s;
}

/* ---- registers ------------------------------------------------------------------------------- */

enum { POOL = 8 };

static const char *pool_name(unsigned bits)
{
    return bits == 1 ? "p" : bits == 16 ? "h" : bits == 32 ? "r" : "d";
}

static void put_register(writer *w, unsigned bits)
{
    fprintf(w->out, "%%%s%u", pool_name(bits), below(w, POOL));
}

/* ---- statements ------------------------------------------------------------------------------ */

/* ptxas 13.0 remembers that an untyped register holds a float, and where an integer of another
 * width is wanted it converts the number instead of taking the bits. Amounts and 8-bit stores
 * therefore go through an integer operation. Positions and lengths above 255 part hardware and the
 * PTX ISA for 64-bit fields. */
static void put_amount(writer *w, unsigned which)
{
    fprintf(w->out, "\tand.b32 %%f%u, %%r%u, 255;\n", which, below(w, POOL));
}

/* min and max of a value with itself are folded by ptxas, and a NaN then keeps its payload. */
static bool must_differ(const char *text)
{
    return begins(text, "min.") || begins(text, "max.");
}

static void arithmetic(writer *w, const form *f)
{
    const shape s = shape_of(f->text);
    const bool is_field = begins(f->text, "bfe.") || begins(f->text, "bfi.");
    const bool is_shift = begins(f->text, "shl.") || begins(f->text, "shr.");
    const int amounts = is_field ? 2 : is_shift ? 1 : 0;
    const unsigned first = below(w, POOL);
    if (!s.to || !begin_piece(w, (size_t)(f - forms)))
        return;
    for (int i = 0; i < amounts; i++)
        put_amount(w, (unsigned)i);
    fprintf(w->out, "\t%s ", f->text);
    put_register(w, s.to);
    for (int i = 0; i < f->sources; i++) {
        fputs(", ", w->out);
        if (i >= f->sources - amounts)
            fprintf(w->out, "%%f%d", i - (f->sources - amounts));
        else if (must_differ(f->text))
            fprintf(w->out, "%%%s%u", pool_name(s.from[i]), (first + (unsigned)i) % POOL);
        else
            put_register(w, s.from[i]);
    }
    fputs(";\n", w->out);
}

static void branch(writer *w, uint64_t seed, unsigned index);

/* Every thread has 64 bytes of its own in each space. */
static void memory(writer *w)
{
    static const char *const spaces[] = {"shared", "local", "global"};
    static const char *const bases[] = {"%own_shared", "%own_local", "%own_global"};
    static const struct {
        const char *text;
        unsigned bits, elements;
    } accesses[] = {{"u8", 16, 1},     {"s8", 16, 1},    {"u16", 16, 1},    {"s16", 16, 1},
                    {"b32", 32, 1},    {"b64", 64, 1},   {"v2.b32", 32, 2}, {"v2.b64", 64, 2},
                    {"v4.b32", 32, 4}, {"v4.u8", 16, 4}, {"v2.u16", 16, 2}, {"v4.b16", 16, 4}};
    const unsigned space = below(w, 3), a = below(w, sizeof accesses / sizeof *accesses);
    const bool is_store = below(w, 2);
    const unsigned at = 16 * below(w, 4), elements = accesses[a].elements;
    char operand[96];
    int used = snprintf(operand, sizeof operand, elements > 1 ? "{" : "");
    /* Destinations of a vector load must be different registers. */
    const unsigned first = below(w, POOL);
    const bool is_narrow = strstr(accesses[a].text, "8") && is_store;
    for (unsigned e = 0; is_narrow && e < elements; e++)
        fprintf(w->out, "\tadd.u16 %%b%u, %%h%u, 1;\n", e, (first + e) % POOL);
    for (unsigned e = 0; e < elements; e++)
        used += snprintf(operand + used, sizeof operand - (size_t)used, "%s%%%s%u", e ? ", " : "",
                         is_narrow ? "b" : pool_name(accesses[a].bits),
                         is_narrow ? e : (first + e) % POOL);
    snprintf(operand + used, sizeof operand - (size_t)used, elements > 1 ? "}" : "");
    if (is_store)
        fprintf(w->out, "\tst.%s.%s [%s+%u], %s;\n", spaces[space], accesses[a].text, bases[space],
                at, operand);
    else
        fprintf(w->out, "\tld.%s.%s %s, [%s+%u];\n", spaces[space], accesses[a].text, operand,
                bases[space], at);
}

/* Sums come out the same in any order; old values are not looked at. */
static void atomic(writer *w)
{
    static const char *const operations[] = {"add.u32", "min.u32", "max.s32", "and.b32", "or.b32",
                                             "xor.b32", "add.u64", "max.u64", "inc.u32"};
    enum { INC = 8 };
    const unsigned o = below(w, sizeof operations / sizeof *operations);
    const bool is_wide = strstr(operations[o], "64");
    /* Each operation has words of its own: different operations on one word would not commute. */
    fprintf(w->out, "\tred.global.%s [%%sums+%u], ", operations[o], 8 * (o * 4 + below(w, 4)));
    if (o == INC)
        fputs("0x7fffffff", w->out);
    else
        put_register(w, is_wide ? 64 : 32);
    fputs(";\n", w->out);
}

/* Where all lanes are together. Numbers are drawn one a statement: C leaves the order of arguments
 * open. */
static void shuffle(writer *w, unsigned kind)
{
    static const char *const shuffles[] = {"idx", "up", "down", "bfly"};
    const bool is_up = kind == 1;
    const unsigned lane = below(w, 32), from = below(w, POOL), valid = below(w, POOL),
                   to = below(w, POOL);
    fprintf(w->out, "\tshfl.sync.%s.b32 %%r%u|%%p%u, %%r%u, %u, %u, 0xffffffff;\n", shuffles[kind],
            to, valid, from, lane, is_up ? 0 : 31);
}

static void warp_wide(writer *w)
{
    static const char *const reductions[] = {"add.u32", "min.s32", "max.u32",
                                             "and.b32", "or.b32",  "xor.b32"};
    enum { BALLOT = 4, VOTE, REDUCE };
    const unsigned kind = below(w, 8);
    if (kind < BALLOT) {
        shuffle(w, kind);
        return;
    }
    const unsigned from = below(w, POOL), to = below(w, POOL);
    if (kind == BALLOT)
        fprintf(w->out, "\tvote.sync.ballot.b32 %%r%u, %%p%u, 0xffffffff;\n", to, from);
    else if (kind == VOTE)
        fprintf(w->out, "\tvote.sync.%s.pred %%p%u, %%p%u, 0xffffffff;\n",
                below(w, 2) ? "any" : "all", to, from);
    else if (kind == REDUCE && begin_piece(w, REDUX))
        fprintf(w->out, "\tredux.sync.%s %%r%u, %%r%u, 0xffffffff;\n", reductions[below(w, 6)], to,
                from);
    else if (kind != REDUCE)
        fprintf(w->out, "\tmatch.any.sync.b32 %%r%u, %%r%u, 0xffffffff;\n", to, from);
}

/* A word of another thread of the block, between two barriers. */
static void exchange(writer *w)
{
    const unsigned partner = 1 + below(w, KERNEL_THREADS - 1), from = below(w, POOL),
                   to = below(w, POOL);
    fprintf(w->out,
            "\tst.shared.b32 [%%own_shared], %%r%u;\n\tbar.sync 0;\n\txor.b32 %%t0, %%tid_x, %u;\n"
            "\tshl.b32 %%t0, %%t0, 6;\n\tadd.u32 %%t0, %%t0, %%shared_base;\n\tld.shared.b32 "
            "%%r%u, [%%t0];\n\tbar.sync 0;\n",
            from, partner, to);
}

static void small_statement(writer *w)
{
    const unsigned kind = below(w, 10);
    if (kind < 5)
        memory(w);
    else if (kind < 7)
        atomic(w);
    else if (w->depth)
        memory(w);
    else if (kind < 9)
        warp_wide(w);
    else
        exchange(w);
}

/* A loop of as many trips as a register's low bits say, or a branch with two sides; the forms
 * inside are the kernel's next ones. */
static void loop(writer *w, uint64_t seed, unsigned index)
{
    const unsigned label = w->labels++, depth = w->depth++;
    fprintf(w->out, "\tand.b32 %%n%u, %%r%u, 7;\n$L%u:\n", depth, below(w, POOL), label);
    arithmetic(w, &forms[form_index(seed, index)]);
    small_statement(w);
    fprintf(w->out,
            "\tsub.u32 %%n%u, %%n%u, 1;\n\tsetp.gt.s32 %%q%u, %%n%u, 0;\n\t@%%q%u bra $L%u;\n",
            depth, depth, depth, depth, depth, label);
    w->depth--;
}

static void branch(writer *w, uint64_t seed, unsigned index)
{
    const unsigned otherwise = w->labels++, end = w->labels++, depth = w->depth++;
    fprintf(w->out, "\tmov.pred %%q%u, %%p%u;\n\t@%%q%u bra $L%u;\n", depth, below(w, POOL), depth,
            otherwise);
    arithmetic(w, &forms[form_index(seed, index)]);
    small_statement(w);
    if (depth < 2 && below(w, 2))
        loop(w, seed, index);
    fprintf(w->out, "\tbra $L%u;\n$L%u:\n", end, otherwise);
    small_statement(w);
    arithmetic(w, &forms[form_index(seed, index)]);
    fprintf(w->out, "$L%u:\n", end);
    w->depth--;
}

/* ---- approximations -------------------------------------------------------------------------- */

bool kernel_is_approximate(uint64_t seed)
{
    return seed >= KERNEL_FIRST_APPROXIMATE && seed < KERNEL_FIRST_STATEMENTS;
}

size_t kernel_approximation(uint64_t seed, unsigned slot)
{
    return (size_t)((seed - KERNEL_FIRST_APPROXIMATE) * KERNEL_APPROXIMATIONS + slot) %
           approximation_count();
}

/* Bits of a pool, by an integer operation; ordinary ones have an exponent of -7 to 0. */
static void put_operand(writer *w, const approximation *a, int source)
{
    const bool only_ordinary =
        a->ordinary == RANGE_BOTH || (a->ordinary == RANGE_SECOND && source == 1);
    const unsigned from = below(w, POOL);
    const bool is_ordinary = below(w, 2) || only_ordinary;
    if (a->type == TYPE_F64)
        fprintf(w->out, "\tadd.s64 %%g, %%d%u, 1;\n", from);
    else if (a->type == TYPE_F16 || a->type == TYPE_BF16)
        fprintf(w->out, "\tadd.u16 %%b%d, %%h%u, 1;\n", source, from);
    else if (a->type == TYPE_F32 && is_ordinary)
        fprintf(w->out, "\tand.b32 %%f%d, %%r%u, 0x83ffffff;\n\tor.b32 %%f%d, %%f%d, 0x3c000000;\n",
                source, from, source, source);
    else
        fprintf(w->out, "\tadd.u32 %%f%d, %%r%u, 1;\n", source, from);
}

static void approximate(writer *w, uint64_t seed, unsigned slot)
{
    const approximation *a = approximation_at(kernel_approximation(seed, slot));
    const bool is_wide = a->type == TYPE_F64,
               is_narrow = a->type == TYPE_F16 || a->type == TYPE_BF16;
    const char *const to = is_wide ? "%z" : is_narrow ? "%y" : "%x";
    const char *const from = is_wide ? "%g" : is_narrow ? "%b0" : "%f0";
    for (int i = 0; i < a->sources; i++)
        put_operand(w, a, i);
    const bool is_guarded = below(w, 2);
    const unsigned guard = below(w, POOL);
    fprintf(w->out, "\t%s %s, %s%s;\n\t", a->text, to, from, a->sources == 2 ? ", %f1" : "");
    if (is_guarded)
        fprintf(w->out, "@%%p%u ", guard);
    fprintf(w->out, "st.global.b%d [%%approximations+%u], %s;\n",
            is_wide     ? 64
            : is_narrow ? 16
                        : 32,
            8 * slot, to);
}

/* ---- statements that stand in a table -------------------------------------------------------- */

static void put_word(writer *w, char kind, unsigned number)
{
    if (kind == 'n')
        fprintf(w->out, "%u", number);
    else if (kind == 'r' || kind == 'd' || kind == 'p')
        fprintf(w->out, "%%%c%u", kind, below(w, POOL));
    else
        fprintf(w->out, "$%c", kind); /* a label */
}

static void rare_statement(writer *w, uint64_t seed, unsigned index)
{
    const size_t which =
        (size_t)((seed - KERNEL_FIRST_STATEMENTS) * KERNEL_FORMS + index) % statement_count();
    const unsigned number = w->labels++;
    if (!begin_piece(w, FIRST_STATEMENT + which))
        return;
    for (const char *at = statement_at(which); *at; at++) {
        if (*at == '$')
            put_word(w, *++at, number);
        else
            fputc(*at, w->out);
    }
}

/* ---- a kernel -------------------------------------------------------------------------------- */

void kernel_module_begin(const char *sm, FILE *out)
{
    fprintf(out, ".version 8.5\n.target sm_%s\n.address_size 64\n", sm);
    fputs(statement_functions, out);
}

static void begin(writer *w, uint64_t seed)
{
    fprintf(
        w->out,
        ".visible .entry kernel_%llu(.param .u64 in, .param .u64 out, .param .u64 sums%s)\n{\n"
        "\t.reg .b16 %%h<%d>;\n\t.reg .b32 %%r<%d>;\n\t.reg .b64 %%d<%d>;\n\t.reg .pred %%p<%d>;\n"
        "\t.reg .b16 %%b<4>;\n\t.reg .b32 %%n<4>;\n\t.reg .pred %%q<4>;\n\t.reg .b32 %%f<2>, "
        "%%t<2>, %%tid_x, %%own_shared, %%shared_base;\n"
        "\t.reg .b64 %%in, %%out, %%sums, %%own_global, %%own_local, %%g;\n"
        "\t.shared .align 16 .b8 words[%d];\n\t.local .align 16 .b8 stack[64];\n",
        (unsigned long long)seed, kernel_is_approximate(seed) ? ", .param .u64 approximations" : "",
        POOL, POOL, POOL, POOL, 64 * KERNEL_THREADS);
    fprintf(
        w->out,
        "\tmov.u32 %%tid_x, %%tid.x;\n\tmov.u32 %%t0, %%ctaid.x;\n\tmad.lo.u32 %%t0, %%t0, %d, "
        "%%tid_x;\n"
        "\tld.param.u64 %%in, [in];\n\tld.param.u64 %%out, [out];\n\tld.param.u64 %%sums, [sums];\n"
        "\tmul.wide.u32 %%g, %%t0, %d;\n\tadd.u64 %%in, %%in, %%g;\n"
        "\tmul.wide.u32 %%g, %%t0, %d;\n\tadd.u64 %%out, %%out, %%g;\n\tadd.u64 %%own_global, "
        "%%out, %d;\n"
        "\tmov.u64 %%own_local, stack;\n\tmov.u32 %%shared_base, words;\n\tshl.b32 %%t1, %%tid_x, "
        "6;\n"
        "\tadd.u32 %%own_shared, %%shared_base, %%t1;\n",
        KERNEL_THREADS, 8 * KERNEL_INPUTS, 8 * KERNEL_OUTPUTS, 8 * (KERNEL_OUTPUTS - 8));
}

static void begin_approximations(writer *w)
{
    fprintf(w->out,
            "\t.reg .b64 %%approximations, %%z;\n\t.reg .b32 %%x;\n\t.reg .b16 %%y;\n"
            "\tld.param.u64 %%approximations, [approximations];\n\tmul.wide.u32 %%g, %%t0, %d;\n"
            "\tadd.u64 %%approximations, %%approximations, %%g;\n",
            8 * KERNEL_APPROXIMATIONS);
}

/* Pools start from the thread's inputs; own memory of all spaces is written before anybody reads
 * it. */
static void fill(writer *w)
{
    for (int i = 0; i < POOL; i++)
        fprintf(w->out,
                "\tld.global.b64 %%d%d, [%%in+%d];\n\tcvt.u32.u64 %%r%d, %%d%d;\n\tshr.u64 %%g, "
                "%%d%d, 40;\n"
                "\tcvt.u16.u64 %%h%d, %%g;\n\tsetp.lt.s32 %%p%d, %%r%d, 0;\n",
                i, 8 * i, i, i, i, i, i, i);
    for (int i = 0; i < 8; i++)
        fprintf(
            w->out,
            "\tst.shared.b64 [%%own_shared+%d], %%d%d;\n\tst.local.b64 [%%own_local+%d], %%d%d;\n"
            "\tst.global.b64 [%%own_global+%d], %%d%d;\n",
            8 * i, i, 8 * i, i, 8 * i, i);
    fputs("\tbar.sync 0;\n", w->out);
}

static void empty(writer *w)
{
    for (int i = 0; i < POOL; i++)
        fprintf(w->out,
                "\tst.global.b64 [%%out+%d], %%d%d;\n\tcvt.u32.u16 %%t0, %%h%d;\n\tselp.u32 %%t1, "
                "0x10000, 0, %%p%d;\n"
                "\tor.b32 %%t0, %%t0, %%t1;\n\tst.global.v2.b32 [%%out+%d], {%%r%d, %%t0};\n",
                8 * i, i, i, i, 8 * (POOL + i), i);
    for (int i = 0; i < 8; i++)
        fprintf(w->out,
                "\tld.shared.b64 %%d0, [%%own_shared+%d];\n\tld.local.b64 %%d1, [%%own_local+%d];\n"
                "\txor.b64 %%d0, %%d0, %%d1;\n\tst.global.b64 [%%out+%d], %%d0;\n",
                8 * i, 8 * i, 8 * (2 * POOL + i));
    fputs("\tret;\n}\n", w->out);
}

void kernel_write(uint64_t seed, FILE *out)
{
    writer w = {.out = out, .state = seed};
    const bool is_approximate = kernel_is_approximate(seed);
    begin(&w, seed);
    if (is_approximate)
        begin_approximations(&w);
    fill(&w);
    for (unsigned i = 0; i < KERNEL_FORMS; i++) {
        const form *f = &forms[form_index(seed, i)];
        if (is_exact(f->text))
            arithmetic(&w, f);
        if (is_approximate && i % (KERNEL_FORMS / KERNEL_APPROXIMATIONS) == 0)
            approximate(&w, seed, i / (KERNEL_FORMS / KERNEL_APPROXIMATIONS));
        if (seed >= KERNEL_FIRST_STATEMENTS)
            rare_statement(&w, seed, i);
        if (below(&w, 2))
            small_statement(&w);
        if (is_exact(f->text) && below(&w, 4) == 0)
            branch(&w, seed, i);
        else if (is_exact(f->text) && below(&w, 4) == 0)
            loop(&w, seed, i);
    }
    empty(&w);
}
