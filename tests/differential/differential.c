/* SPDX-License-Identifier: Apache-2.0
 * Runs random kernels (kernel_writer.h) on the engine or on a GPU and prints a hash of what each
 * left in memory.
 *
 *     differential [--gpu] FIRST COUNT      "SEED HASH" a line
 *     differential --check FILE             the lines of FILE, from a GPU, against the engine; 1: others differ than
 *                                           those with a line "! SEED CAUSE", or those no longer do
 *     differential --approximate COUNT      kernels with approximations on engine and GPU: "SEED HASH", then "~ SLOT
 *                                           WORD..." of the GPU, results of a few threads; then how far the results of
 *                                           each form are apart, as a share of what is allowed
 *     differential --check-approximate FILE its lines against the engine
 *     differential --machine PTXAS SM ...   first, before any of these: runs the machine code that the assembler PTXAS makes
 *                                           of the kernels for sm_SM; those that it refuses for that target are left out
 *     differential --machine PTXAS SM --beside FIRST COUNT
 *                                           without the forms that PTXAS refuses for sm_SM, each as machine code and as
 *                                           PTX; 1: they leave different memory
 *     differential --print SEED             its PTX
 *     differential --coverage COUNT         how often the kernels 0 to COUNT - 1 hold each form of instruction
 *     differential [--gpu] --words SEED     every word that it leaves, to find the first other one */
#include "approximation.h"
#include "kernel_writer.h"

#include "inflight.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KERNELS_A_MODULE = 40, LINE_BYTES = 200 };
enum { THREADS = KERNEL_BLOCKS * KERNEL_THREADS };

/* What a kernel left: a hash of output and sums, and its results of approximations, 0 where it has
 * none. */
typedef struct outcome {
    uint64_t hash;
    uint64_t approximations[THREADS][KERNEL_APPROXIMATIONS];
} outcome;

static int complain(const char *what, const ifl_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    return 6;
}

/* ---- one kernel ------------------------------------------------------------------------------ */

static const char *const keys[] = {"grid", "block", "arg", "arg", "arg", "arg"};

static ifl_status describe(ifl_launch *launch, uint64_t seed, ifl_error *error)
{
    char words[6][64];
    const int threads = THREADS;
    const size_t count = sizeof keys / sizeof *keys - !kernel_is_approximate(seed);
    snprintf(words[0], sizeof *words, "%d", KERNEL_BLOCKS);
    snprintf(words[1], sizeof *words, "%d", KERNEL_THREADS);
    snprintf(words[2], sizeof *words, "u64x%d=random:1", threads * KERNEL_INPUTS);
    snprintf(words[3], sizeof *words, "u64x%d=zero", threads * KERNEL_OUTPUTS);
    snprintf(words[4], sizeof *words, "u64x%d=random:2", KERNEL_SUMS);
    snprintf(words[5], sizeof *words, "u64x%d=zero", threads * KERNEL_APPROXIMATIONS);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = ifl_launch_set(launch, keys[i], words[i], error);
    return status;
}

/* The assembler and the GPU whose machine code runs; NULL: PTX runs. */
static const char *assembler, *machine_sm;
static uint64_t refused; /* kernels that the assembler does not take */
static char machine_path[4200], errors_path[4200];
static bool is_beside;             /* PTX is the judge of the machine code */
static uint64_t pieces, differing; /* pieces of kernels left out; kernels that differ */

static const char *gpu_of(const char *sm)
{
    static const char *const gpus[][2] = {{"75", "t4"},       {"80", "a100-40"}, {"86", "rtx-3090"},
                                          {"89", "rtx-4090"}, {"90", "h200"},    {"100", "b200"},
                                          {"120", "rtx-5090"}};
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (strcmp(gpus[i][0], sm) == 0)
            return gpus[i][1];
    return "";
}

static ifl_status choose_machine(ifl_launch *launch, ifl_error *error)
{
    ifl_status status = ifl_launch_set(launch, "gpu", gpu_of(machine_sm), error);
    if (status == IFL_OK)
        status = ifl_launch_set(launch, "machine", machine_path, error);
    return status;
}

static bool assemble(const char *path)
{
    char command[14000];
    snprintf(machine_path, sizeof machine_path, "%.4100s.cubin", path);
    snprintf(errors_path, sizeof errors_path, "%.4100s.errors", path);
    snprintf(command, sizeof command, "%s -arch=sm_%s -o %s %.4100s 2>%s", assembler, machine_sm,
             machine_path, path, errors_path);
    return system(command) == 0;
}

/* The piece at a line of a module, SIZE_MAX: none. */
static size_t piece_at(const char *path, unsigned line)
{
    char text[LINE_BYTES];
    size_t piece = SIZE_MAX;
    FILE *in = fopen(path, "r");
    for (unsigned at = 1; in && at <= line && fgets(text, sizeof text, in); at++)
        sscanf(text, KERNEL_PIECE, &piece);
    if (in)
        fclose(in);
    return piece;
}

/* Those in whose lines the assembler found errors; false: in none. */
static bool leave_out_refused(const char *path)
{
    char text[LINE_BYTES];
    const uint64_t before = pieces;
    FILE *in = fopen(errors_path, "r");
    while (in && fgets(text, sizeof text, in)) {
        unsigned line;
        const char *at = strstr(text, ", line ");
        if (!at || sscanf(at, ", line %u; error", &line) != 1)
            continue;
        const size_t piece = piece_at(path, line);
        if (piece != SIZE_MAX)
            kernel_leave_out(piece), pieces++;
    }
    if (in)
        fclose(in);
    return pieces > before;
}

static ifl_status run(ifl_launch *launch, ifl_gpu *gpu, ifl_error *error)
{
    ifl_profile *profile = NULL;
    const ifl_gpu_options untimed = {0};
    const ifl_run_options one_core = {.threads = 1};
    const ifl_status status = gpu ? ifl_launch_run_on(launch, gpu, &untimed, &profile, error)
                                  : ifl_launch_run(launch, &one_core, &profile, error);
    if (profile)
        ifl_profile_free(profile);
    return status;
}

/* FNV-1a */
static uint64_t hash(uint64_t so_far, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        so_far = (so_far ^ bytes[i]) * UINT64_C(0x100000001b3);
    return so_far;
}

static void print_words(size_t argument, const uint64_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *words; i++)
        printf("%zu %zu %016" PRIx64 "\n", argument, i, words[i]);
}

static ifl_status look(ifl_launch *launch, uint64_t seed, bool all_words, outcome *result,
                       ifl_error *error)
{
    ifl_status status = IFL_OK;
    void *data;
    size_t bytes;
    result->hash = UINT64_C(0xcbf29ce484222325);
    for (size_t argument = 1; argument <= 2 && status == IFL_OK; argument++) {
        status = ifl_launch_buffer(launch, argument, &data, &bytes, error);
        if (status == IFL_OK)
            result->hash = hash(result->hash, data, bytes);
        if (status == IFL_OK && all_words)
            print_words(argument, data, bytes);
    }
    memset(result->approximations, 0, sizeof result->approximations);
    if (status == IFL_OK && kernel_is_approximate(seed))
        status = ifl_launch_buffer(launch, 3, &data, &bytes, error);
    if (status == IFL_OK && kernel_is_approximate(seed))
        memcpy(result->approximations, data, sizeof result->approximations);
    return status;
}

static ifl_status run_kernel(const ifl_module *module, ifl_gpu *gpu, uint64_t seed, bool all_words,
                             outcome *result, bool is_machine, ifl_error *error)
{
    char name[40];
    ifl_launch *launch;
    snprintf(name, sizeof name, "kernel_%" PRIu64, seed);
    ifl_status status = ifl_launch_new(module, name, &launch, error);
    if (status != IFL_OK)
        return status;
    status = describe(launch, seed, error);
    if (status == IFL_OK && is_machine)
        status = choose_machine(launch, error);
    if (status == IFL_OK)
        status = run(launch, gpu, error);
    if (status == IFL_OK)
        status = look(launch, seed, all_words, result, error);
    ifl_launch_free(launch);
    return status;
}

/* ---- a module of several --------------------------------------------------------------------- */

static bool write_module(const char *path, uint64_t first, uint64_t count)
{
    FILE *out = fopen(path, "w");
    if (!out)
        return false;
    kernel_module_begin(assembler && atoi(machine_sm) < 90 ? machine_sm : "90", out);
    for (uint64_t seed = first; seed < first + count; seed++)
        kernel_write(seed, out);
    return fclose(out) == 0;
}

/* False: the assembler takes one of the kernels not. */
static bool prepare(const char *path, uint64_t first, uint64_t count)
{
    while (write_module(path, first, count)) {
        if (!assembler || assemble(path))
            return true;
        if (!is_beside || !leave_out_refused(path))
            return false;
    }
    return false;
}

/* `module` stays NULL where the assembler takes one of the kernels not. */
static ifl_status open_module(uint64_t first, uint64_t count, ifl_module **module, ifl_error *error)
{
    char path[4096];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.4000s/differential-XXXXXX.ptx",
             folder && *folder ? folder : P_tmpdir);
    const int descriptor = mkstemps(path, (int)strlen(".ptx"));
    if (descriptor < 0 || close(descriptor) != 0)
        return error->status = IFL_NO_FILE;
    *module = NULL;
    const bool is_taken = prepare(path, first, count);
    if (assembler)
        unlink(errors_path);
    const ifl_status status = is_taken ? ifl_module_open(path, NULL, module, error) : IFL_OK;
    unlink(path);
    return status;
}

/* What becomes of each kernel's result; false ends the run. */
typedef bool visitor(void *user, uint64_t seed, const outcome *result);

static ifl_status run_batch(uint64_t first, uint64_t count, ifl_gpu *gpu, visitor *visit,
                            void *user, ifl_error *error);

/* Each in a module of its own. */
static ifl_status run_alone(uint64_t first, uint64_t count, ifl_gpu *gpu, visitor *visit,
                            void *user, ifl_error *error)
{
    ifl_status status = IFL_OK;
    refused += count == 1;
    for (uint64_t seed = first; count > 1 && seed < first + count && status == IFL_OK; seed++)
        status = run_batch(seed, 1, gpu, visit, user, error);
    return status;
}

static ifl_status judge(const ifl_module *module, uint64_t seed, const outcome *machine,
                        ifl_error *error)
{
    outcome ptx;
    const ifl_status status = run_kernel(module, NULL, seed, false, &ptx, false, error);
    if (status == IFL_OK && ptx.hash != machine->hash) {
        differing++;
        printf("kernel %" PRIu64 ": its machine code leaves other memory than its PTX\n", seed);
    }
    return status;
}

static ifl_status run_batch(uint64_t first, uint64_t count, ifl_gpu *gpu, visitor *visit,
                            void *user, ifl_error *error)
{
    ifl_module *module;
    ifl_status status = open_module(first, count, &module, error);
    if (status == IFL_OK && !module)
        return run_alone(first, count, gpu, visit, user, error);
    if (status != IFL_OK)
        return status;
    for (uint64_t seed = first; seed < first + count && status == IFL_OK; seed++) {
        outcome result;
        status = run_kernel(module, gpu, seed, false, &result, assembler, error);
        if (status == IFL_OK && is_beside)
            status = judge(module, seed, &result, error);
        if (status == IFL_OK && !visit(user, seed, &result))
            break;
    }
    ifl_module_close(module);
    if (assembler)
        unlink(machine_path);
    return status;
}

static bool print_result(void *user, uint64_t seed, const outcome *result)
{
    (void)user;
    printf("%" PRIu64 " %016" PRIx64 "\n", seed, result->hash);
    return true;
}

static int run_all(uint64_t first, uint64_t count, ifl_gpu *gpu, visitor *visit, void *user)
{
    ifl_error error = {0};
    for (uint64_t at = 0; at < count; at += KERNELS_A_MODULE) {
        const uint64_t now = count - at < KERNELS_A_MODULE ? count - at : KERNELS_A_MODULE;
        if (run_batch(first + at, now, gpu, visit, user, &error) != IFL_OK)
            return complain("differential", &error);
    }
    return 0;
}

static bool compared(void *user, uint64_t seed, const outcome *result)
{
    (void)seed, (void)result;
    ++*(uint64_t *)user;
    return true;
}

/* Which ptxas 13.0 does not refuse for sm_75 though it makes F2FP of them, an opcode that nvdisasm
 * does not know there (docs/sass.md). */
static void leave_out_made_wrong(void)
{
    const char *text;
    for (size_t i = 0; strcmp(machine_sm, "75") == 0 && (text = kernel_form(i)); i++)
        if (strstr(text, ".satfinite") && strstr(text, ".f16.f32"))
            kernel_leave_out(i);
}

static int run_beside(uint64_t first, uint64_t count)
{
    uint64_t kernels = 0;
    is_beside = true;
    leave_out_made_wrong();
    const int status = run_all(first, count, NULL, compared, &kernels);
    printf("%" PRIu64 " kernels as machine code of sm_%s and as PTX, %" PRIu64 " differ; %" PRIu64
           " refused, %" PRIu64 " places of forms left out\n",
           kernels, machine_sm, differing, refused, pieces);
    return status ? status : differing || kernels != count;
}

/* ---- against a GPU's results ----------------------------------------------------------------- */

enum { MOST_EXPLAINED = 64 };

typedef struct expected {
    uint64_t *result;
    uint64_t first, count, differ, faults; /* seeds count from the first line's */
    uint64_t explained[MOST_EXPLAINED];
    size_t explained_count;
} expected;

static bool is_explained(const expected *e, uint64_t seed)
{
    for (size_t i = 0; i < e->explained_count; i++)
        if (e->explained[i] == seed)
            return true;
    return false;
}

static bool compare(void *user, uint64_t seed, const outcome *result)
{
    expected *e = user;
    const bool differs = e->result[seed - e->first] != result->hash;
    e->differ += differs;
    /* What is explained are results of the engine's PTX. */
    if (differs == is_explained(e, seed) || (!differs && assembler))
        return true;
    e->faults++;
    printf("kernel %" PRIu64 ": the engine's memory %s\n", seed,
           differs ? "differs from the GPU's" : "is the GPU's, but a difference is explained");
    return true;
}

/* Lines that begin with # tell which GPU it was. Seeds count up. */
static bool read_expected(const char *path, expected *e)
{
    char line[LINE_BYTES];
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        uint64_t seed, result;
        if (line[0] == '#')
            continue;
        if (sscanf(line, "! %" SCNu64, &seed) == 1) {
            if (e->explained_count < MOST_EXPLAINED)
                e->explained[e->explained_count++] = seed;
            continue;
        }
        if (sscanf(line, "%" SCNu64 " %" SCNx64, &seed, &result) != 2)
            break;
        if (!e->count)
            e->first = seed;
        if (seed != e->first + e->count)
            break;
        uint64_t *more = realloc(e->result, (e->count + 1) * sizeof *more);
        if (!more)
            break;
        e->result = more;
        e->result[e->count++] = result;
    }
    const bool is_whole = in && feof(in) && e->count;
    if (in)
        fclose(in);
    return is_whole;
}

static int check(const char *path)
{
    expected e = {0};
    int status = 3;
    if (read_expected(path, &e))
        status = run_all(e.first, e.count, NULL, compare, &e);
    else
        printf("%s: no results, or not in order\n", path);
    if (status == 0)
        printf("%" PRIu64 " kernels compared, %" PRIu64 " differ, %zu of them explained; %" PRIu64
               " refused by the assembler\n",
               e.count - refused, e.differ, e.explained_count, refused);
    free(e.result);
    return status ? status : e.faults != 0;
}

/* ---- approximations -------------------------------------------------------------------------- */

enum { MOST_APPROXIMATIONS = 64, MOST_KERNELS = 1000, KEPT_EVERY = 16, KEPT_FIRST = 5 };

typedef struct nearness {
    outcome *gpu; /* of kernel KERNEL_FIRST_APPROXIMATE + its index */
    uint64_t count, faults;
    unsigned results[MOST_APPROXIMATIONS];
    size_t step; /* between threads that are known */
} nearness;

static bool keep(void *user, uint64_t seed, const outcome *result)
{
    nearness *n = user;
    n->gpu[seed - KERNEL_FIRST_APPROXIMATE] = *result;
    return true;
}

static void hold(nearness *n, uint64_t seed, unsigned slot, uint64_t engine, uint64_t gpu)
{
    const size_t which = kernel_approximation(seed, slot);
    n->results[which]++;
    if (engine == gpu)
        return;
    n->faults++;
    printf("kernel %" PRIu64 ", %s: the engine has %" PRIx64 ", the GPU %" PRIx64 "\n", seed,
           approximation_at(which)->text, engine, gpu);
}

static bool compare_approximations(void *user, uint64_t seed, const outcome *engine)
{
    nearness *n = user;
    const outcome *gpu = &n->gpu[seed - KERNEL_FIRST_APPROXIMATE];
    if (gpu->hash != engine->hash) {
        printf("kernel %" PRIu64 ": the engine's memory differs from the GPU's\n", seed);
        n->faults++;
    }
    for (size_t t = n->step > 1 ? KEPT_FIRST : 0; t < THREADS; t += n->step)
        for (unsigned slot = 0; slot < KERNEL_APPROXIMATIONS; slot++)
            hold(n, seed, slot, engine->approximations[t][slot], gpu->approximations[t][slot]);
    return true;
}

static int compare_all(nearness *n)
{
    const int status = run_all(KERNEL_FIRST_APPROXIMATE, n->count, NULL, compare_approximations, n);
    for (size_t a = 0; a < approximation_count(); a++)
        printf("# %-24s %6u results\n", approximation_at(a)->text, n->results[a]);
    return status ? status : n->faults != 0;
}

static bool print_kept(void *user, uint64_t seed, const outcome *result)
{
    print_result(NULL, seed, result);
    for (unsigned slot = 0; slot < KERNEL_APPROXIMATIONS; slot++) {
        printf("~ %u", slot);
        for (size_t t = KEPT_FIRST; t < THREADS; t += KEPT_EVERY)
            printf(" %" PRIx64, result->approximations[t][slot]);
        printf("\n");
    }
    return keep(user, seed, result);
}

static int measure_approximations(uint64_t count, ifl_gpu *gpu)
{
    nearness n = {.gpu = calloc(MOST_KERNELS, sizeof *n.gpu),
                  .count = count < MOST_KERNELS ? count : MOST_KERNELS,
                  .step = 1};
    int status = n.gpu ? run_all(KERNEL_FIRST_APPROXIMATE, n.count, gpu, print_kept, &n) : 6;
    if (status == 0)
        status = compare_all(&n);
    free(n.gpu);
    return status;
}

/* "~ SLOT WORD..." of the kernel read last. */
static bool read_kept(nearness *n, const char *line)
{
    unsigned slot;
    int used, next = 0;
    outcome *o = &n->gpu[n->count - 1];
    if (!n->count || sscanf(line, "~ %u%n", &slot, &used) != 1 || slot >= KERNEL_APPROXIMATIONS)
        return false;
    for (size_t t = KEPT_FIRST; t < THREADS; t += KEPT_EVERY, used += next)
        if (sscanf(line + used, "%" SCNx64 "%n", &o->approximations[t][slot], &next) != 1)
            return false;
    return true;
}

static bool read_approximations(const char *path, nearness *n)
{
    char line[LINE_BYTES];
    bool is_well = true;
    FILE *in = fopen(path, "r");
    while (in && is_well && fgets(line, sizeof line, in)) {
        uint64_t seed, hash;
        if (line[0] == '#')
            continue;
        if (line[0] == '~')
            is_well = read_kept(n, line);
        else if (sscanf(line, "%" SCNu64 " %" SCNx64, &seed, &hash) == 2 &&
                 n->count < MOST_KERNELS && seed == KERNEL_FIRST_APPROXIMATE + n->count)
            n->gpu[n->count++].hash = hash;
        else
            is_well = false;
    }
    if (in)
        fclose(in);
    return in && is_well && n->count;
}

static int check_approximations(const char *path)
{
    nearness n = {.gpu = calloc(MOST_KERNELS, sizeof *n.gpu), .step = KEPT_EVERY};
    int status = 3;
    if (n.gpu && read_approximations(path, &n))
        status = compare_all(&n);
    else
        printf("%s: no results, or not in order\n", path);
    free(n.gpu);
    return status;
}

/* ---- coverage -------------------------------------------------------------------------------- */

static int coverage(uint64_t kernels)
{
    const size_t forms = kernel_form_count();
    unsigned least = UINT32_MAX, *times = calloc(forms, sizeof *times);
    size_t covered = 0;
    for (uint64_t seed = 0; times && seed < kernels; seed++)
        for (unsigned i = 0; i < KERNEL_FORMS; i++)
            for (size_t f = 0; f < forms; f++) {
                const char *text = kernel_form_of(seed, i);
                if (text && strcmp(text, kernel_form(f)) == 0) {
                    times[f]++;
                    break;
                }
            }
    for (size_t f = 0; times && f < forms; f++) {
        covered += times[f] > 0;
        least = times[f] && times[f] < least ? times[f] : least;
    }
    printf("%zu forms of %zu, each at least %u times\n", covered, forms, least);
    free(times);
    return 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static int words_of(uint64_t seed, ifl_gpu *gpu)
{
    ifl_error error = {0};
    ifl_module *module;
    outcome result;
    ifl_status status = open_module(seed, 1, &module, &error);
    if (status == IFL_OK) {
        status = run_kernel(module, gpu, seed, true, &result, assembler, &error);
        ifl_module_close(module);
    }
    return status == IFL_OK ? 0 : complain("differential", &error);
}

static int usage(void)
{
    fputs("usage: differential [--gpu | --machine PTXAS SM] FIRST COUNT | --check FILE | --machine "
          "PTXAS "
          "SM --beside FIRST COUNT | --gpu "
          "--approximate COUNT | "
          "--check-approximate FILE |\n"
          "       --print SEED | --coverage COUNT | [--gpu] --words SEED\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    ifl_error error = {0};
    ifl_gpu *gpu = NULL;
    if (argc > 1 && strcmp(argv[1], "--gpu") == 0) {
        if (ifl_gpu_open(0, &gpu, &error) != IFL_OK)
            return complain("differential", &error);
        printf("# %s, CUDA %d\n", ifl_gpu_name(gpu), ifl_gpu_cuda(gpu));
        argc--, argv++;
    }
    if (argc > 3 && strcmp(argv[1], "--machine") == 0) {
        assembler = argv[2];
        machine_sm = argv[3];
        argc -= 3, argv += 3;
    }
    int status = 0;
    if (assembler && argc == 4 && strcmp(argv[1], "--beside") == 0)
        status = run_beside(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
    else if (argc != 3)
        status = usage();
    else if (strcmp(argv[1], "--check") == 0)
        status = check(argv[2]);
    else if (strcmp(argv[1], "--approximate") == 0)
        status = measure_approximations(strtoull(argv[2], NULL, 10), gpu);
    else if (strcmp(argv[1], "--check-approximate") == 0)
        status = check_approximations(argv[2]);
    else if (strcmp(argv[1], "--coverage") == 0)
        status = coverage(strtoull(argv[2], NULL, 10));
    else if (strcmp(argv[1], "--words") == 0)
        status = words_of(strtoull(argv[2], NULL, 10), gpu);
    else if (strcmp(argv[1], "--print") == 0) {
        kernel_module_begin("90", stdout);
        kernel_write(strtoull(argv[2], NULL, 10), stdout);
    } else
        status = run_all(strtoull(argv[1], NULL, 10), strtoull(argv[2], NULL, 10), gpu,
                         print_result, NULL);
    if (gpu)
        ifl_gpu_close(gpu);
    return status;
}
