/* SPDX-License-Identifier: Apache-2.0
 * The topics of `inflight help TOPIC`. */
#include "commands.h"
#include "terminal.h"

#include <string.h>

/* A heading, then paragraphs, each wrapped to the terminal. What begins with two blanks is a word
 * and its meaning. */
static void print_page(const char *const *lines, FILE *out)
{
    enum { MEANING = 24 };
    for (size_t i = 0; lines[i]; i++)
        ifl_cli_print_wrapped(lines[i], 0, lines[i][0] == ' ' ? MEANING : 0, out);
}

static void print_arguments(FILE *out)
{
    static const char *const page[] = {
        "Arguments of a kernel, one per parameter, in order",
        "",
        "  TYPE:VALUE            a number: u32:2^25  i32:-5  f32:0.5  f64:1e-3  bf16:1",
        "  TYPExCOUNT=FILL       a buffer: f32x2^20=random  i32x1000=iota",
        "  TYPExCOUNT+N=FILL     a buffer that starts N bytes past its alignment",
        "  struct:ARG,ARG...     a structure by value: its members, laid out as in C",
        "  texture:linear:TYPExWIDTH,HEIGHT=FILL   a texture object of a new image",
        "  null                  a null pointer",
        "  same:N                the buffer of argument N again",
        "",
        "Types: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64.",
        "Numbers: 1000, 0x3e8, 2^25, 4Ki, 32Mi, 1Gi.",
        "",
        "Fills",
        "  zero                  zeros; takes no memory until it is used",
        "  const:V               V everywhere",
        "  iota                  0, 1, 2, ...",
        "  random[:SEED]         floats from 0 to 1, integers of all values",
        "  permutation[:SEED]    0 to COUNT - 1, each once, in random order: valid indexes",
        "  @FILE.npy             a NumPy file",
        "",
        "The document \"Launches\" (launch.md) has the rest: plain bytes, tensor maps, limits of "
        "random numbers.",
        NULL};
    print_page(page, out);
}

enum { LAST_EXIT_CODE = 255 };

static void print_code(int code, FILE *out)
{
    bool any = false;
    for (ifl_status status = IFL_OK; status < IFL_STATUS_COUNT; status++) {
        if (ifl_status_exit_code(status) != code)
            continue;
        if (any)
            fprintf(out, ", %s", ifl_status_text(status));
        else
            fprintf(out, "  %-3d  %s", code, ifl_status_text(status));
        any = true;
    }
    fputs(any ? "\n" : "", out);
}

static void print_exit_status(FILE *out)
{
    fputs("Exit status\n\n", out);
    for (int code = 0; code <= LAST_EXIT_CODE; code++)
        print_code(code, out);
}

static void print_report(FILE *out)
{
    static const char *const page[] = {
        "How to read the report",
        "",
        "A request is one memory instruction of one warp: 32 threads that load or store together. "
        "A sector is 32 bytes, "
        "the smallest unit that moves; four of them, 128 bytes, are a line.",
        "",
        "\"At best\" is what the distinct bytes that a request asks for would need if they were "
        "adjacent. \"Needed\" is "
        "that share of what moved: at 100 %, a change of the addresses cannot gain anything more. "
        "\"Asked for\" may be "
        "less: one float for all 32 threads is 4 bytes, but a sector of 32 must move.",
        "",
        "32 threads that load 4 bytes each need 4 sectors and 1 line at best; 8 bytes each need 8 "
        "and 2; 16 bytes each "
        "need 16 and 4.",
        "",
        "Addresses",
        "  coalesced             neighbouring threads, neighbouring words, no extra sector",
        "  broadcast             one word for all threads",
        "  offset                neighbouring words that do not start at a multiple of 32 bytes",
        "  strided, N words      neighbouring threads are N words apart",
        "  rows                  a warp spans several rows of a 2D block, which fill only a part "
        "of their sectors",
        "  contiguous per thread each thread walks through its own region",
        "  irregular             no pattern",
        "A share in brackets says how many of the requests fit.",
        "",
        "Shared memory has 32 banks of 4 bytes. A wavefront is one pass through them. If lanes "
        "access different words "
        "of one bank, the request is replayed: a bank conflict.",
        "",
        "All counts are taken before the caches: a later request may still find the excess bytes "
        "there.",
        "",
        "'inflight help WORD' explains any other word of a report: a column, a stall reason, a "
        "remedy, a counter.",
        NULL};
    print_page(page, out);
}

static void print_model(FILE *out)
{
    static const char *const page[] = {
        "What the model predicts for a GPU",
        "",
        "The engine counts; the model predicts what the counts mean on a GPU. Its times are those "
        "that CUDA events would "
        "measure, and the range says how far off they may be.",
        "",
        "Limited by",
        "  DRAM                  the bytes that are read from and written to DRAM",
        "  L2                    the bytes between the L1s and the L2",
        "  L1/LSU                passes of global and local requests through the L1",
        "  shared memory         passes of shared requests, including bank conflicts",
        "  atomics               updates of the same word or the same 512 bytes, one after the "
        "other",
        "  issue                 warp instructions, at the rate at which SMs issue them",
        "  tensor                products of matrices on the tensor cores, at their peak for the "
        "type",
        "  host memory           the bus to memory of the host that a kernel uses in place",
        "  arithmetic            instructions of one pipe: fp32, fp64, integer, special functions",
        "  latency               warps wait for loads, and too few bytes are in flight",
        "  launch                starting and ending the kernel",
        "  tail                  the last wave of blocks, which leaves SMs idle",
        "",
        "Waves are the blocks of the grid over the blocks that the GPU holds at once. Bytes in "
        "flight are the loads that "
        "an SM has outstanding when its warps wait; the next column says how many would reach 95 % "
        "of the DRAM bandwidth "
        "(Little's law: latency times bandwidth). Occupancy is the achieved one: resident warps "
        "over those that an SM "
        "can hold.",
        "",
        "The document \"The model\" (model.md) has the formulas, and how far off they are.",
        NULL};
    print_page(page, out);
}

static void print_caches(FILE *out)
{
    static const char *const page[] = {
        "Caches",
        "",
        "For each GPU the requests of the launch are simulated in its L1s and its L2, which are "
        "empty at the start. The "
        "order of blocks and warps on a GPU is not known: figures in brackets are the lowest and "
        "the highest that an "
        "order can give.",
        "",
        "  L1 hits, L2 hits      shares of the sectors that loads ask for",
        "  DRAM read, written    while the launch runs",
        "  left in the L2        written by the launch, and not yet in DRAM when it ends",
        "  L1 of an SM           what shared memory leaves of it",
        "  simulated             which part of the requests was simulated",
        "",
        "The document \"Caches\" (caches.md) says what is simulated and how far off it is.",
        NULL};
    print_page(page, out);
}

static const ifl_cli_topic topics[] = {
    {"arguments", "how a kernel's arguments are written", print_arguments},
    {"report", "how to read the report", print_report},
    {"model", "what limits a kernel, and the other words of predictions", print_model},
    {"caches", "what the table of caches says", print_caches},
    {"options", "which commands take which option", ifl_cli_print_option_topic},
    {"exit-status", "what the program's exit status means", print_exit_status},
};

const ifl_cli_topic *ifl_cli_topic_at(size_t index)
{
    return index < sizeof topics / sizeof *topics ? &topics[index] : NULL;
}

const ifl_cli_topic *ifl_cli_topic_find(const char *name)
{
    for (size_t i = 0; ifl_cli_topic_at(i); i++)
        if (strcmp(ifl_cli_topic_at(i)->name, name) == 0)
            return ifl_cli_topic_at(i);
    return NULL;
}
