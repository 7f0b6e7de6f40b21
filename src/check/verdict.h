/* SPDX-License-Identifier: Apache-2.0
 * What a check found. Writers know nothing else. */
#ifndef IFL_CHECK_VERDICT_H
#define IFL_CHECK_VERDICT_H

#include "check/budget.h"
#include "check/check_api.h"
#include "check/source_place.h"

typedef enum ifl_breach_kind {
    IFL_BREACH_LIMIT,
    IFL_BREACH_FINDING,
    IFL_BREACH_FAULT,
    IFL_BREACH_BASELINE
} ifl_breach_kind;

typedef struct ifl_breach {
    ifl_breach_kind kind;
    const char
        *rule; /* the first word of a limit, a cause of docs/advice.md, "fault", "baseline" */
    ifl_severity severity;
    const char *budget, *run, *kernel, *gpu; /* gpu: "" where it is no GPU's */
    int budget_line;                         /* 0: none */
    ifl_source_place place;
    const char *place_key; /* that survives moved lines; "" for the whole kernel */
    const char *text;      /* one sentence */
    const char *limit;     /* as written; "" where there is none */
    bool has_value, has_baseline;
    ifl_estimate value;
    double bound, baseline;
    bool is_allowed, is_allowed_in_source;
    const char *why; /* it is allowed */
} ifl_breach;

typedef struct ifl_checked {
    const char *budget, *run, *kernel; /* kernel: "" where the run ended before there was one */
} ifl_checked;

struct ifl_verdict {
    ifl_arena arena;
    IFL_VEC(ifl_breach) breaches; /* errors first */
    IFL_VEC(ifl_checked) kernels; /* what ran */
    size_t limits_held, better;   /* better: figures below the baseline by more than 1 % */
    size_t runs, cached;
};

const char *ifl_breach_kind_name(ifl_breach_kind kind);
/* Of breaches that are not allowed. */
size_t ifl_verdict_count(const ifl_verdict *verdict, ifl_severity severity);
size_t ifl_verdict_allowed(const ifl_verdict *verdict);
/* Copies the texts, as clean lines; false without memory. */
bool ifl_verdict_add(ifl_verdict *verdict, const ifl_breach *breach);
/* Notes what ran; false without memory. */
bool ifl_verdict_add_kernel(ifl_verdict *verdict, const char *budget, const char *run,
                            const char *kernel);
/* Whether a breach is one of what ran there. */
bool ifl_breach_is_of(const ifl_breach *breach, const ifl_checked *checked);
/* Errors first, then by file and line. */
void ifl_verdict_sort(ifl_verdict *verdict);
/* Hexadecimal digits that stay the same while the breach is the same, wherever its line moves. */
void ifl_breach_fingerprint(const ifl_breach *breach, char digits[17]);
/* Where it is shown: the source's place, else the budget's. */
ifl_source_place ifl_breach_place(const ifl_breach *breach);

typedef ifl_status ifl_verdict_writer(const ifl_verdict *verdict, FILE *out, ifl_error *error);

ifl_verdict_writer ifl_verdict_text, ifl_verdict_json, ifl_verdict_sarif, ifl_verdict_junit,
    ifl_verdict_github, ifl_verdict_gitlab, ifl_verdict_markdown;

#endif
