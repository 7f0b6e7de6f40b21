/* SPDX-License-Identifier: Apache-2.0
 * The topics of `inflight help TOPIC`. */
#include "commands.h"

#include <string.h>

static void print_arguments(FILE *out)
{
    fputs(
        "Arguments of a kernel, one per parameter, in order\n"
        "\n"
        "  TYPE:VALUE            a number         u32:2^25  i32:-5  f32:0.5  f64:1e-3  bf16:1\n"
        "  TYPExCOUNT=FILL       a buffer         f32x2^20=random  i32x1000=iota\n"
        "  TYPExCOUNT+N=FILL     a buffer that starts N bytes past its alignment\n"
        "\n"
        "Types: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64.\n"
        "Numbers: 1000, 0x3e8, 2^25, 4Ki, 32Mi, 1Gi.\n"
        "\n"
        "Fills\n"
        "  zero                  zeros; takes no memory until it is used\n"
        "  const:V               V everywhere\n"
        "  iota                  0, 1, 2, ...\n"
        "  random[:SEED]         floats from 0 to 1, integers of all values\n"
        "  permutation[:SEED]    0 to COUNT - 1, each once, in random order: valid indexes\n"
        "  @FILE.npy             a NumPy file\n"
        "\n"
        "The document \"Launches\" (launch.md) has the rest: structures, null pointers, one buffer for two\n"
        "parameters.\n",
        out);
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
    fputs(
        "How to read the report\n"
        "\n"
        "A request is one memory instruction of one warp: 32 threads that load or store together.\n"
        "A sector is 32 bytes, the smallest unit that moves; four of them, 128 bytes, are a line.\n"
        "\"At best\" is what the distinct bytes that a request asks for would need if they were\n"
        "adjacent. \"Needed\" is that share of what moved: at 100 %, a change of the addresses\n"
        "cannot gain anything more. \"Asked for\" may be less: one float for all 32 threads is\n"
        "4 bytes, and 32 must move.\n"
        "\n"
        "32 threads that load 4 bytes each need 4 sectors and 1 line at best; 8 bytes: 8 and 2;\n"
        "16 bytes: 16 and 4.\n"
        "\n"
        "Addresses\n"
        "  coalesced               neighbouring threads, neighbouring words, no extra sector\n"
        "  broadcast               one word for all threads\n"
        "  offset                  neighbouring words that do not start at a multiple of 32 bytes\n"
        "  strided, N words        neighbouring threads are N words apart\n"
        "  rows                    a warp is several rows of a 2D block, and they fill only a part\n"
        "                          of their sectors\n"
        "  contiguous per thread   each thread walks through its own region\n"
        "  irregular               no pattern\n"
        "A share in brackets says how many of the requests fit.\n"
        "\n"
        "Shared memory has 32 banks of 4 bytes. A wavefront is one pass through them. If lanes\n"
        "access different words of one bank, the request is replayed: a bank conflict.\n"
        "\n"
        "All counts are taken before the caches: a later request may still find the excess bytes there.\n",
        out);
}

static void print_model(FILE *out)
{
    fputs(
        "What the model predicts for a GPU\n"
        "\n"
        "The engine counts; the model predicts what the counts mean on a GPU. Its times are those that\n"
        "CUDA events would measure, and the range says how far off they may be.\n"
        "\n"
        "Limited by\n"
        "  DRAM            the bytes that are read from and written to DRAM\n"
        "  L2              the bytes between the L1s and the L2\n"
        "  L1/LSU          passes of global and local requests through the L1\n"
        "  shared memory   passes of shared requests, including bank conflicts\n"
        "  atomics         updates of the same word or the same KiB, one after the other\n"
        "  issue           warp instructions, at the rate at which SMs issue them\n"
        "  arithmetic      instructions of one pipe: fp32, fp64, integer, special functions\n"
        "  latency         warps wait for loads, and too few bytes are in flight\n"
        "  launch          starting and ending the kernel\n"
        "  tail            the last wave of blocks, which leaves SMs idle\n"
        "\n"
        "Waves are the blocks of the grid over the blocks that the GPU holds at once. Bytes in flight\n"
        "are the loads that an SM has outstanding when its warps wait; the next column says how many\n"
        "would reach 95 % of the DRAM bandwidth (Little's law: latency times bandwidth). Occupancy is the\n"
        "achieved one: resident warps over those that an SM can hold.\n"
        "\n"
        "The document \"The model\" (model.md) has the formulas, and how far off they are.\n",
        out);
}

static void print_caches(FILE *out)
{
    fputs(
        "Caches\n"
        "\n"
        "For each GPU the requests of the launch are simulated in its L1s and its L2, which are empty\n"
        "at the start. The order of blocks and warps on a GPU is not known: figures in brackets are the\n"
        "lowest and the highest that an order can give.\n"
        "\n"
        "  L1 hits, L2 hits    shares of the sectors that loads ask for\n"
        "  DRAM read, written  while the launch runs\n"
        "  left in the L2      written by the launch, and not yet in DRAM when it ends\n"
        "  L1 of an SM         what shared memory leaves of it\n  simulated           which part of the requests "
        "was simulated\n"
        "\n"
        "The document \"Caches\" (caches.md) says what is simulated and how far off it is.\n",
        out);
}

static const ifl_cli_topic topics[] = {
    {"arguments", "how a kernel's arguments are written", print_arguments},
    {"report", "how to read the report", print_report},
    {"model", "what limits a kernel, and the other words of predictions", print_model},
    {"caches", "what the table of caches says", print_caches},
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
