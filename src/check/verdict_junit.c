/* SPDX-License-Identifier: Apache-2.0
 * A verdict as JUnit's XML, in the form of Jenkins' junit-10.xsd: a suite a budget, a test a
 * kernel. */
#include "check/verdict.h"

#include "base/utf8.h"

#include <string.h>

/* Escaped, and without the characters that XML 1.0 has not. */
static bool write_xml(const char *text, FILE *out)
{
    ifl_arena arena = {0};
    const char *at = ifl_utf8_copy(&arena, text);
    for (; at && *at; at++)
        switch (*at) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        case '"':
            fputs("&quot;", out);
            break;
        default:
            fputc(*at, out);
        }
    ifl_arena_free(&arena);
    return at != NULL;
}

static bool write_attribute(const char *name, const char *value, FILE *out)
{
    fprintf(out, " %s=\"", name);
    const bool is_written = write_xml(value, out);
    fputc('"', out);
    return is_written;
}

static bool fails(const ifl_breach *b)
{
    return b->severity == IFL_SEVERITY_ERROR && !b->is_allowed;
}

static size_t count_failing(const ifl_verdict *verdict, const ifl_checked *checked)
{
    size_t count = 0;
    for (size_t i = 0; i < verdict->breaches.count; i++)
        count +=
            fails(&verdict->breaches.at[i]) && ifl_breach_is_of(&verdict->breaches.at[i], checked);
    return count;
}

static bool write_line(const ifl_breach *b, FILE *out)
{
    const ifl_source_place place = ifl_breach_place(b);
    bool is_written = write_xml(place.file, out);
    fprintf(out, ":%d: %s: ", place.line,
            b->is_allowed ? "allowed" : ifl_severity_name(b->severity));
    is_written = is_written && write_xml(b->text, out);
    fputc('\n', out);
    return is_written;
}

/* Those that fail the test, or the others. */
static bool write_lines(const ifl_verdict *verdict, const ifl_checked *checked, bool failing,
                        FILE *out)
{
    bool is_written = true;
    for (size_t i = 0; i < verdict->breaches.count && is_written; i++) {
        const ifl_breach *b = &verdict->breaches.at[i];
        if (fails(b) == failing && ifl_breach_is_of(b, checked))
            is_written = write_line(b, out);
    }
    return is_written;
}

static const ifl_breach *first_breach(const ifl_verdict *verdict, const ifl_checked *checked,
                                      bool failing)
{
    for (size_t i = 0; i < verdict->breaches.count; i++)
        if (fails(&verdict->breaches.at[i]) == failing &&
            ifl_breach_is_of(&verdict->breaches.at[i], checked))
            return &verdict->breaches.at[i];
    return NULL;
}

/* One failure with all its lines: some readers take one only. */
static bool write_case(const ifl_verdict *verdict, const ifl_checked *checked, FILE *out)
{
    const ifl_breach *failure = first_breach(verdict, checked, true);
    fputs("  <testcase", out);
    bool is_written =
        write_attribute("name", *checked->kernel ? checked->kernel : checked->run, out) &&
        write_attribute("classname", checked->run, out);
    fputs(">\n", out);
    if (is_written && failure) {
        fputs("   <failure", out);
        is_written = write_attribute("message", failure->text, out) &&
                     write_attribute("type", failure->rule, out);
        fputc('>', out);
        is_written = is_written && write_lines(verdict, checked, true, out);
        fputs("</failure>\n", out);
    }
    if (is_written && first_breach(verdict, checked, false)) {
        fputs("   <system-out>", out);
        is_written = write_lines(verdict, checked, false, out);
        fputs("</system-out>\n", out);
    }
    fputs("  </testcase>\n", out);
    return is_written;
}

static bool is_first_of_budget(const ifl_verdict *verdict, size_t index)
{
    return !index ||
           strcmp(verdict->kernels.at[index - 1].budget, verdict->kernels.at[index].budget) != 0;
}

/* Kernels of a budget stand side by side. */
static bool write_suite(const ifl_verdict *verdict, size_t first, FILE *out)
{
    size_t end = first, failures = 0;
    do
        failures += count_failing(verdict, &verdict->kernels.at[end++]) > 0;
    while (end < verdict->kernels.count && !is_first_of_budget(verdict, end));
    fputs(" <testsuite", out);
    bool is_written = write_attribute("name", verdict->kernels.at[first].budget, out);
    fprintf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n", end - first, failures);
    for (size_t i = first; i < end && is_written; i++)
        is_written = write_case(verdict, &verdict->kernels.at[i], out);
    fputs(" </testsuite>\n", out);
    return is_written;
}

ifl_status ifl_verdict_junit(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    bool is_written = true;
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"inflight check\">\n",
          out);
    for (size_t i = 0; i < verdict->kernels.count && is_written; i++)
        if (is_first_of_budget(verdict, i))
            is_written = write_suite(verdict, i, out);
    fputs("</testsuites>\n", out);
    if (!is_written)
        return ifl_fail_memory(error, 1);
    return ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written") : IFL_OK;
}
