/* SPDX-License-Identifier: Apache-2.0
 * Reports on machine code: which kernels, and what of them, as text or JSON. Knows machine code and
 * pages; of launches only the counts that a JSON report of one gives. */
#ifndef IFL_REPORT_REPORT_SASS_H
#define IFL_REPORT_REPORT_SASS_H

#include "profile/profile.h"
#include "report/page.h"
#include "sass/sass_facts.h"

#include <jansson.h>

typedef struct ifl_sass_report {
    const ifl_machine *machine;
    const size_t *chosen; /* of its kernels */
    size_t chosen_count;
    const ifl_machine_options *options;
    /* The text of a source line, "" where it is not at hand, NULL without memory. */
    const char *(*source_line)(void *user, ifl_arena *arena, const char *file, uint32_t line);
    void *user;
} ifl_sass_report;

ifl_status ifl_sass_report_write(const ifl_sass_report *report, ifl_report_format format, FILE *out,
                                 ifl_error *error);

/* How often a launch of `kernel`, which has so many instructions, issued each of them, and where its
 * warps stood still, by instruction (NULL where the report says nothing of it), from the JSON report
 * of the launch; from the arena (sass_counts.c). */
ifl_status ifl_sass_counts_read(const char *path, const char *kernel, size_t instructions,
                                ifl_arena *arena, const uint64_t **issued,
                                const ifl_sass_stall **stalls, ifl_error *error);
/* The kernels that the report has launches of, by their names in the module. */
ifl_status ifl_sass_counts_names(const char *path, ifl_arena *arena, const char ***names,
                                 size_t *count, ifl_error *error);
/* Where the PTX of that launch differed, as a profile that holds nothing else (sass_beside.c). */
ifl_status ifl_sass_beside_read(const char *path, const char *kernel, ifl_profile **out,
                                ifl_error *error);
/* The same of one of the machine's kernels; NULL where the options do not ask for it. */
ifl_status ifl_sass_report_beside(const ifl_sass_report *report, size_t index, ifl_profile **out,
                                  ifl_error *error);
/* A report's launch of a kernel: what json_object_get gives, of the root, which the caller frees. */
ifl_status ifl_sass_counts_launch(const char *path, const char *kernel, json_t **root,
                                  const json_t **launch, ifl_error *error);
/* False where the key is missing, or is no count. */
bool ifl_sass_counts_count(const json_t *object, const char *key, uint64_t *count);
/* "" where the key is missing, or is no text. */
const char *ifl_sass_counts_text(const json_t *object, const char *key);
/* The facts of one of the machine's kernels, with executed counts where the options name a
 * profile. */
ifl_status ifl_sass_report_facts(const ifl_sass_report *report, size_t index, ifl_arena *arena,
                                 ifl_sass_facts *out, ifl_error *error);

/* ---- writers --------------------------------------------------------------------------------- */

ifl_status ifl_sass_write_text(const ifl_sass_report *report, FILE *out, ifl_error *error);
ifl_status ifl_sass_write_json(const ifl_sass_report *report, FILE *out, ifl_error *error);
/* `beside`: where the PTX differed, said under the source lines; may be NULL. */
void ifl_sass_print_listing(const ifl_sass_report *report, const ifl_sass_facts *facts,
                            const ifl_profile *beside, ifl_page *page);
/* "B0----5:R-:W2:Y:S04": scoreboards waited for, set when sources are read, set when the result is
 * there, yield, cycles to the next instruction. */
enum { IFL_SASS_CONTROL_BYTES = 24 };
char *ifl_sass_control_text(const ifl_sass_instruction *instruction,
                            char to[IFL_SASS_CONTROL_BYTES]);

#endif
