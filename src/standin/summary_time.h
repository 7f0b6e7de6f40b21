/* SPDX-License-Identifier: Apache-2.0
 * The tables of a program's time: kernels by their total, and each launch. */
#ifndef IFL_STANDIN_SUMMARY_TIME_H
#define IFL_STANDIN_SUMMARY_TIME_H

#include "report/page.h"
#include "standin/launch_log.h"

/* Of the kernels that `only` means (session/kernel_name.h); NULL: of all. */
void ifl_summary_kernels(ifl_page *page, const char *only);
void ifl_summary_each(ifl_page *page, const char *only);
/* What ifl_summary_each lists; NULL: nothing was launched, or without memory. */
const ifl_report_launch *ifl_summary_launches(ifl_page *page, const char *only, size_t *count);
/* Microseconds of all launches with this signature, grid and block from the place. */
double ifl_summary_total(const char *signature, const char *site, const uint32_t grid[3],
                         const uint32_t block[3]);
/* A place of launch as tables show it: without the program's name, which is that of most. NULL
 * without memory. */
const char *ifl_summary_place(ifl_arena *arena, const char *site);

#endif
