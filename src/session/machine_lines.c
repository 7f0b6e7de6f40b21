/* SPDX-License-Identifier: Apache-2.0
 * What the PTX asks for and what the machine code does, line by line. Knows the lines of a profile
 * and the accesses of machine code. */
#include "session/machine_lines.h"

#include "session/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- PTX ------------------------------------------------------------------------------------- */

/* Without line information the PTX itself is the source, each instruction in a line of its own. */
static bool is_in_ptx(const ifl_profile *profile, const ifl_profile_line *line)
{
    return line->line == line->ptx_line &&
           strncmp(line->file, profile->file, strlen(profile->file)) == 0;
}

static bool has_lines(const ifl_profile *profile)
{
    for (size_t i = 0; i < profile->lines.count; i++)
        if (is_in_ptx(profile, &profile->lines.at[i]))
            return false;
    return true;
}

static ifl_machine_access of_ptx(const ifl_profile_line *line)
{
    return (ifl_machine_access){.file = base_name(line->file),
                                .line = line->line,
                                .space = line->space,
                                .kind = line->kind,
                                .ptx_count = 1,
                                .ptx_bytes = line->access_bytes};
}

/* ---- machine code ---------------------------------------------------------------------------- */

/* From inside the toolkit's headers out to the call, as the PTX's lines are. */
static const ifl_machine_line *own_line(const ifl_sass_facts *facts, uint32_t offset)
{
    const ifl_machine_kernel *kernel = facts->kernel.kernel;
    const ifl_machine_line *line = ifl_machine_line_at(kernel, offset);
    enum { MAX_INLINING = 64 };
    for (int depth = 0; line && depth < MAX_INLINING; depth++) {
        const bool inside = line->file < facts->machine->file_count &&
                            ifl_lines_is_toolkit(facts->machine->files[line->file]);
        if (!inside || !line->inlined_at || line->inlined_at > kernel->line_count)
            break;
        line = &kernel->lines[line->inlined_at - 1];
    }
    return line;
}

static bool is_generic(const ifl_sass_instruction *instruction)
{
    return instruction->sass_class == IFL_SASS_LOAD_GENERIC ||
           instruction->sass_class == IFL_SASS_STORE_GENERIC;
}

/* Where a generic access goes the run has seen. */
static ifl_space space_met(const ifl_profile *profile, const ifl_machine_access *a)
{
    for (size_t i = 0; i < profile->lines.count; i++) {
        const ifl_profile_line *line = &profile->lines.at[i];
        if (line->line == a->line && line->kind == a->kind &&
            strcmp(base_name(line->file), a->file) == 0)
            return line->space;
    }
    return a->space;
}

static ifl_machine_access of_machine(const ifl_sass_facts *facts, const ifl_profile *profile,
                                     size_t i)
{
    const ifl_sass_instruction *instruction = &facts->kernel.instructions[i];
    const ifl_traffic_info *access = ifl_traffic_info_get(ifl_sass_traffic_of(instruction));
    const ifl_machine_line *line = own_line(facts, instruction->offset);
    ifl_machine_access a = {.file = ifl_sass_file_of(facts->machine, line),
                            .line = line ? line->line : 0,
                            .space = access->space,
                            .kind = access->kind,
                            .machine_count = 1,
                            .machine_bytes = instruction->memory_bytes};
    if (is_generic(instruction))
        a.space = space_met(profile, &a);
    return a;
}

/* ---- both ------------------------------------------------------------------------------------ */

/* By their words, as people read them. */
static int by_traffic(const ifl_machine_access *a, const ifl_machine_access *b)
{
    const int space = strcmp(ifl_space_text(a->space), ifl_space_text(b->space));
    return space ? space : strcmp(ifl_access_kind_text(a->kind), ifl_access_kind_text(b->kind));
}

static int by_place(const void *x, const void *y)
{
    const ifl_machine_access *a = x, *b = y;
    const int file = strcmp(a->file, b->file);
    if (file || a->line != b->line)
        return file ? file : a->line < b->line ? -1 : 1;
    return by_traffic(a, b);
}

static ifl_machine_verdict judge(const ifl_machine_access *a)
{
    if (!a->machine_count)
        return IFL_MACHINE_REMOVED;
    if (!a->ptx_count)
        return IFL_MACHINE_ADDED;
    if (a->machine_bytes != a->ptx_bytes)
        return a->machine_bytes < a->ptx_bytes ? IFL_MACHINE_FEWER : IFL_MACHINE_MORE;
    return a->machine_count == a->ptx_count  ? IFL_MACHINE_SAME
           : a->machine_count < a->ptx_count ? IFL_MACHINE_MERGED
                                             : IFL_MACHINE_SPLIT;
}

/* Adds up what stands in one line, of one kind; the list is in order. Returns how many are left. */
static size_t join(ifl_machine_access *list, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept && by_place(&list[kept - 1], &list[i]) == 0) {
            list[kept - 1].ptx_count += list[i].ptx_count;
            list[kept - 1].ptx_bytes += list[i].ptx_bytes;
            list[kept - 1].machine_count += list[i].machine_count;
            list[kept - 1].machine_bytes += list[i].machine_bytes;
        } else {
            list[kept++] = list[i];
        }
    }
    return kept;
}

static size_t list_all(const ifl_sass_facts *facts, const ifl_profile *profile,
                       ifl_machine_access *list)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    size_t count = 0;
    for (size_t i = 0; i < profile->lines.count; i++)
        list[count++] = of_ptx(&profile->lines.at[i]);
    for (size_t b = 0; b < kernel->block_count; b++)
        for (size_t i = kernel->blocks[b].first; kernel->reached[b] && i < kernel->blocks[b].last;
             i++)
            if (ifl_sass_traffic_of(&kernel->instructions[i]) != IFL_TRAFFIC_COUNT)
                list[count++] = of_machine(facts, profile, i);
    return count;
}

static ifl_status keep(ifl_profile *profile, ifl_machine_access a, ifl_error *error)
{
    a.file = ifl_arena_text(&profile->arena, a.file, strlen(a.file));
    a.verdict = judge(&a);
    return a.file && ifl_vec_push(&profile->machine.accesses, a) ? IFL_OK
                                                                 : ifl_fail_memory(error, sizeof a);
}

static bool is_of(const ifl_machine_access *a, const ifl_profile_line *line)
{
    return a->line == line->line && a->kind == line->kind && a->space == line->space &&
           strcmp(a->file, base_name(line->file)) == 0;
}

/* How many loads of the line became one: by the bytes of a lane in an average access of either
 * side. */
static double merged(const ifl_machine_facts *facts, const ifl_profile_line *line)
{
    for (size_t i = 0; i < facts->accesses.count; i++) {
        const ifl_machine_access *a = &facts->accesses.at[i];
        if (!is_of(a, line) || !a->machine_count || !a->ptx_count || !a->ptx_bytes)
            continue;
        const double times =
            ((double)a->machine_bytes / a->machine_count) / ((double)a->ptx_bytes / a->ptx_count);
        return times > 1 ? times : 1;
    }
    return 1;
}

/* Passes of 16 bytes a lane: eight lanes at once, or sixteen where neighbours ask for the same
 * words (CC 7.x to 9.0; an H200 counts 2 and 4 for the two operands of a product). */
static double wide_passes(double narrow, double useful_bytes)
{
    const double few = 32, packed = 2, phases = 4;
    return fmax(narrow, useful_bytes <= few ? packed : phases);
}

static void merge_line(ifl_machine_shared *to, const ifl_counters *c, double times)
{
    enum { WIDE = 4 }; /* words: of the accesses that a line has, words and these */
    const double requests = (double)c->value[IFL_COUNTER_shared_load_requests];
    const double narrow = (double)c->value[IFL_COUNTER_shared_load_wavefronts] / requests;
    const double useful = (double)c->value[IFL_COUNTER_shared_load_useful_bytes] / requests;
    const double share = fmin((times - 1) / (WIDE - 1), 1);
    to->known |= times > 1;
    to->load_requests += requests / times;
    to->load_wavefronts +=
        requests / times * ((1 - share) * narrow + share * wide_passes(narrow, useful));
}

static void merge_shared_loads(ifl_profile *profile)
{
    for (size_t i = 0; i < profile->lines.count; i++) {
        const ifl_profile_line *line = &profile->lines.at[i];
        if (line->counters.known[IFL_COUNTER_shared_load_requests] &&
            line->counters.value[IFL_COUNTER_shared_load_requests])
            merge_line(&profile->machine.shared, &line->counters, merged(&profile->machine, line));
    }
}

ifl_status ifl_machine_lines_compare(const ifl_sass_facts *facts, ifl_profile *profile,
                                     ifl_error *error)
{
    profile->machine.lines_known = facts->kernel.kernel->line_count && has_lines(profile);
    if (!profile->machine.lines_known)
        return IFL_OK;
    const size_t most = profile->lines.count + facts->kernel.instruction_count;
    ifl_machine_access *list = calloc(most + 1, sizeof *list);
    if (!list)
        return ifl_fail_memory(error, most * sizeof *list);
    const size_t all = list_all(facts, profile, list);
    qsort(list, all, sizeof *list, by_place);
    const size_t count = join(list, all);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = keep(profile, list[i], error);
    merge_shared_loads(profile);
    free(list);
    return status;
}
