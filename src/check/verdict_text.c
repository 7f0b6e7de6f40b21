/* SPDX-License-Identifier: Apache-2.0
 * A verdict as text: a line a breach, in the form that compilers have, and a line that sums up. */
#include "check/verdict.h"

#include <string.h>

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void write_source(const char *text, FILE *out)
{
    text += strspn(text, " \t");
    if (*text)
        fprintf(out, "    %.*s\n", (int)strcspn(text, "\r\n"), text);
}

static void write_breach(const ifl_breach *b, FILE *out)
{
    const ifl_source_place place = ifl_breach_place(b);
    fprintf(out, "%s:%d: %s: %s [%s]\n", place.file, place.line,
            b->is_allowed ? "allowed" : ifl_severity_name(b->severity), b->text, b->rule);
    write_source(place.text, out);
    if (*b->kernel)
        fprintf(out, "    in %s, ", b->kernel);
    else
        fputs("    ", out);
    fprintf(out, "%s:%d, run '%s'\n", b->budget, b->budget_line, b->run);
    if (b->is_allowed && *b->why)
        fprintf(out, "    allowed: %s\n", b->why);
}

static void write_sum(const ifl_verdict *v, FILE *out)
{
    const size_t errors = ifl_verdict_count(v, IFL_SEVERITY_ERROR),
                 warnings = ifl_verdict_count(v, IFL_SEVERITY_WARNING);
    const size_t notes = ifl_verdict_count(v, IFL_SEVERITY_NOTE), allowed = ifl_verdict_allowed(v);
    fprintf(out, "%zu kernel%s, %zu limit%s checked: %zu error%s, %zu warning%s, %zu note%s",
            v->kernels.count, plural(v->kernels.count), v->limits_held, plural(v->limits_held),
            errors, plural(errors), warnings, plural(warnings), notes, plural(notes));
    if (allowed)
        fprintf(out, ", %zu allowed", allowed);
    if (v->better)
        fprintf(out, "\n%zu figure%s better than the baseline; --update records that", v->better,
                v->better == 1 ? " is" : "s are");
    fputc('\n', out);
}

ifl_status ifl_verdict_text(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    for (size_t i = 0; i < verdict->breaches.count; i++)
        write_breach(&verdict->breaches.at[i], out);
    write_sum(verdict, out);
    return ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written") : IFL_OK;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

/* In a cell of a table: no line ends, no '|', nothing that is a tag. */
static void write_cell(const char *text, FILE *out)
{
    for (; *text; text++)
        switch (*text) {
        case '|':
            fputs("\\|", out);
            break;
        case '<':
            fputs("&lt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '\n':
        case '\r':
            fputc(' ', out);
            break;
        case '*':
        case '_':
        case '`':
        case '\\':
            fputc('\\', out);
            fputc(*text, out);
            break;
        default:
            fputc(*text, out);
        }
}

static void write_row(const ifl_breach *b, FILE *out)
{
    const ifl_source_place place = ifl_breach_place(b);
    fprintf(out, "| %s | ", b->is_allowed ? "allowed" : ifl_severity_name(b->severity));
    write_cell(place.file, out);
    fprintf(out, ":%d | ", place.line);
    write_cell(b->kernel, out);
    fputs(" | ", out);
    write_cell(b->text, out);
    fputs(" |\n", out);
}

ifl_status ifl_verdict_markdown(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    fprintf(out, "### Performance budget: %s\n\n",
            ifl_verdict_fails(verdict, false) ? "exceeded" : "kept");
    if (verdict->breaches.count)
        fputs("| | Where | Kernel | What |\n|---|---|---|---|\n", out);
    for (size_t i = 0; i < verdict->breaches.count; i++)
        write_row(&verdict->breaches.at[i], out);
    if (verdict->breaches.count)
        fputc('\n', out);
    write_sum(verdict, out);
    return ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written") : IFL_OK;
}

/* ---- GitHub's workflow commands -------------------------------------------------------------- */

/* '%', line ends; in properties ':' and ',' too (GitHub: "Workflow commands", actions/toolkit's
 * command.ts). */
static void write_escaped(const char *text, bool is_property, FILE *out)
{
    for (; *text; text++)
        if (strchr("%\r\n", *text) || (is_property && strchr(":,", *text)))
            fprintf(out, "%%%02X", (unsigned char)*text);
        else
            fputc(*text, out);
}

ifl_status ifl_verdict_github(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    static const char *const commands[] = {"notice", "warning", "error"};
    for (size_t i = 0; i < verdict->breaches.count; i++) {
        const ifl_breach *b = &verdict->breaches.at[i];
        const ifl_source_place place = ifl_breach_place(b);
        if (b->is_allowed)
            continue;
        fprintf(out, "::%s file=", commands[b->severity]);
        write_escaped(place.file, true, out);
        fprintf(out, ",line=%d,title=", place.line > 0 ? place.line : 1);
        write_escaped(*b->kernel ? b->kernel : b->rule, true, out);
        fputs("::", out);
        write_escaped(b->text, false, out);
        fputc('\n', out);
    }
    write_sum(verdict, out);
    return ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written") : IFL_OK;
}
