/* SPDX-License-Identifier: Apache-2.0
 * The annotated listing: each instruction with its control word, its loops, what it is for, how
 * often it ran, where warps stand still, what a warp has in flight where it waits; above it the source line, where another
 * one begins. */
#include "report/report_sass.h"

#include "base/figure.h"

#include <string.h>

enum { SCOREBOARDS = 6, INSTRUCTION_TEXT = 264, TEXT_COLUMNS = 52 };

char *ifl_sass_control_text(const ifl_sass_instruction *instruction,
                            char to[IFL_SASS_CONTROL_BYTES])
{
    char waits[SCOREBOARDS + 1] = "------";
    for (int s = 0; s < SCOREBOARDS; s++)
        if (instruction->wait_mask >> s & 1)
            waits[s] = (char)('0' + s);
    const unsigned read = instruction->read_barrier, write = instruction->write_barrier;
    snprintf(to, IFL_SASS_CONTROL_BYTES, "B%s:R%c:W%c:%c:S%02u", waits,
             read < SCOREBOARDS ? (char)('0' + read) : '-',
             write < SCOREBOARDS ? (char)('0' + write) : '-', instruction->yield ? 'Y' : '-',
             instruction->stall % 100u);
    return to;
}

/* A bar a level of nesting; where a loop begins, '>'. */
static void put_loop(const ifl_sass_kernel *kernel, size_t block, size_t i, FILE *out)
{
    enum { LEVELS = 4 };
    const int32_t l = kernel->flow.blocks[block].loop;
    const uint32_t depth = l < 0 ? 0 : kernel->loops[l].at.depth;
    const bool begins =
        l >= 0 && kernel->loops[l].at.header == block && kernel->flow.blocks[block].first == i;
    for (uint32_t level = 1; level <= LEVELS; level++)
        fputc(level > depth ? ' ' : level == depth && begins ? '>' : '|', out);
    fputc(' ', out);
}

static const char *inlined_text(const ifl_sass_facts *facts, const ifl_machine_line *line,
                                ifl_arena *arena)
{
    const ifl_machine_kernel *kernel = facts->kernel.kernel;
    if (!line->inlined_at || line->inlined_at > kernel->line_count)
        return "";
    const ifl_machine_line *caller = &kernel->lines[line->inlined_at - 1];
    const char *file = ifl_clean_line(arena, ifl_sass_file_of(facts->machine, caller));
    return file ? ifl_arena_printf(arena, "  (inlined at %s:%u)", file, caller->line) : NULL;
}

static void put_line(const ifl_sass_report *report, const ifl_sass_facts *facts,
                     const ifl_machine_line *line, ifl_page *page)
{
    const bool has_file = line->file < facts->machine->file_count;
    const char *path = has_file ? facts->machine->files[line->file] : "";
    const char *name = ifl_clean_line(&page->arena, ifl_sass_file_of(facts->machine, line));
    const char *text = report->source_line
                           ? report->source_line(report->user, &page->arena, path, line->line)
                           : "";
    const char *from = inlined_text(facts, line, &page->arena);
    const bool whole = name && text && from;
    ifl_page_text(
        page, IFL_STYLE_DIM,
        whole ? ifl_arena_printf(&page->arena, "       %s:%u  %s%s\n", name, line->line, text, from)
              : NULL);
}

/* "PTX: 256 requests in 4 global load instructions; machine code: 64 requests in 1: merged" */
static void put_difference(const ifl_code_difference *d, ifl_page *page)
{
    const char *one = ifl_traffic_info_get(d->traffic)->one;
    ifl_page_text(
        page, IFL_STYLE_WARN,
        ifl_arena_printf(&page->arena, "         PTX: %s in %s; machine code: %s in %s: %s\n",
                         ifl_figure_counted(d->ptx.requests, "request").text,
                         ifl_figure_counted(d->ptx.instructions,
                                            ifl_arena_printf(&page->arena, "%s instruction", one))
                             .text,
                         ifl_figure_counted(d->machine.requests, "request").text,
                         ifl_figure_count(d->machine.instructions).text,
                         ifl_code_change_text(d->change)));
}

typedef struct listing {
    const ifl_sass_report *report;
    const ifl_sass_facts *facts;
    const ifl_code_difference_list *differences; /* from the launch's PTX; NULL: not known */
    bool *said;                                  /* which of them */
    ifl_page *page;
} listing;

/* Once each, where the source line stands first. */
static void put_differences(const listing *l, const ifl_machine_line *line)
{
    const char *file = ifl_sass_file_of(l->facts->machine, line);
    for (size_t i = 0; l->differences && i < l->differences->count; i++) {
        const ifl_code_difference *d = &l->differences->at[i];
        if (l->said[i] || !d->file || d->line != line->line || strcmp(d->file, file) != 0)
            continue;
        put_difference(d, l->page);
        l->said[i] = true;
    }
}

static bool same_line(const ifl_machine_line *a, const ifl_machine_line *b)
{
    return a == b ||
           (a && b && a->file == b->file && a->line == b->line && a->inlined_at == b->inlined_at);
}

/* "  12 % long_scoreboard": of the time in which warps stand still. */
static void put_stall(const ifl_sass_stall *stall, bool more, FILE *out)
{
    enum { REASON = 18 };
    if (stall->reason || more)
        fprintf(out, "  %5s %-*s", stall->reason ? ifl_figure_share(stall->share).text : "",
                more ? REASON : 0, stall->reason ? stall->reason : "");
}

static void put_notes(const ifl_sass_facts *facts, size_t block, size_t i, FILE *out)
{
    const ifl_sass_kernel *kernel = &facts->kernel;
    const char *purpose = ifl_sass_purpose_text((ifl_sass_purpose)kernel->purpose[i]);
    const bool is_spill = ifl_sass_is_spill(&kernel->instructions[i]);
    const bool more = facts->executed || facts->stalls || kernel->wait_bytes[i] || is_spill;
    fprintf(out, "  %-*s", more ? 7 : 0, purpose);
    if (facts->executed)
        fprintf(out, "  %12s", ifl_figure_count(facts->executed[block]).text);
    if (facts->stalls)
        put_stall(&facts->stalls[i], kernel->wait_bytes[i] || is_spill, out);
    if (kernel->wait_bytes[i])
        fprintf(out, "  waits for loads, %s in flight",
                ifl_figure_counted(kernel->wait_bytes[i], "byte").text);
    fputs(is_spill ? "  spill\n" : "\n", out);
}

static void print_block(const listing *l, size_t b, const ifl_machine_line **last)
{
    const ifl_sass_kernel *kernel = &l->facts->kernel;
    FILE *out = l->page->out;
    char control[IFL_SASS_CONTROL_BYTES], text[INSTRUCTION_TEXT];
    for (size_t i = kernel->flow.blocks[b].first; i < kernel->flow.blocks[b].last; i++) {
        const ifl_sass_instruction *instruction = &kernel->instructions[i];
        const ifl_machine_line *line = ifl_machine_line_at(kernel->kernel, instruction->offset);
        if (line && line->line && !same_line(line, *last)) {
            put_line(l->report, l->facts, line, l->page);
            put_differences(l, line);
        }
        *last = line;
        fprintf(out, "%6x ", instruction->offset);
        put_loop(kernel, b, i, out);
        fprintf(out, "%s  ", ifl_sass_control_text(instruction, control));
        fprintf(out, "%-*s", TEXT_COLUMNS, ifl_sass_guarded_text(instruction, text, sizeof text));
        put_notes(l->facts, b, i, out);
    }
}

void ifl_sass_print_listing(const ifl_sass_report *report, const ifl_sass_facts *facts,
                            const ifl_profile *beside, ifl_page *page)
{
    listing l = {.report = report, .facts = facts, .page = page};
    const ifl_machine_line *last = NULL;
    if (beside) {
        const size_t bytes = beside->ptx.differences.count + 1;
        l.said = ifl_arena_alloc(&page->arena, bytes);
        l.differences = l.said ? &beside->ptx.differences : NULL;
        page->no_memory |= !l.said;
        if (l.said)
            memset(l.said, 0, bytes);
    }
    ifl_page_heading(page, "Listing");
    for (size_t b = 0; b < facts->kernel.flow.block_count; b++)
        if (facts->kernel.reached[b])
            print_block(&l, b, &last);
}
