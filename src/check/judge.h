/* SPDX-License-Identifier: Apache-2.0
 * Holds what was counted against a budget and its baseline. */
#ifndef IFL_CHECK_JUDGE_H
#define IFL_CHECK_JUDGE_H

#include "check/baseline.h"
#include "check/subject.h"
#include "check/verdict.h"

typedef struct ifl_judge {
    ifl_budget *budget;
    ifl_subjects *subjects;
    const ifl_baseline *baseline; /* NULL: there is none, and relative limits are not held */
    ifl_baseline *update;         /* NULL, or takes the facts that a new baseline has */
    ifl_verdict *verdict;
    bool has_fault; /* a run has no kernels to judge */
} ifl_judge;

/* IFL_BAD_INPUT where a limit holds for no kernel: a budget that checks nothing must not pass. */
ifl_status ifl_judge_all(ifl_judge *judge, ifl_error *error);
/* A run that ended with a finding of its own, a fault for instance; `output` is what it wrote to
 * standard error. */
ifl_status ifl_judge_fault(ifl_judge *judge, const ifl_budget_run *run, const char *output,
                           ifl_error *error);

/* ---- parts of it ----------------------------------------------------------------------------- */

ifl_status ifl_judge_limits(ifl_judge *judge, ifl_error *error);
ifl_status ifl_judge_findings(ifl_judge *judge, ifl_error *error);
/* Adds a breach, allowed where the budget or a comment in the source says so. */
ifl_status ifl_judge_add(ifl_judge *judge, ifl_breach *breach, ifl_error *error);
/* A breach of a subject with its names filled in. */
ifl_breach ifl_judge_breach(const ifl_judge *judge, const ifl_subject *subject,
                            ifl_breach_kind kind, ifl_severity severity);

#endif
