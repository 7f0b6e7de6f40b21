/* SPDX-License-Identifier: Apache-2.0
 * What a chart shows, as data: bars under labels, or curves and marks on two axes. Knows neither
 * what the figures mean nor how they are drawn. Texts are as they come; drawing escapes them. */
#ifndef IFL_REPORT_CHART_H
#define IFL_REPORT_CHART_H

#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>

enum { IFL_BAR_VALUES = 2, IFL_AXIS_TICKS = 12 };

/* One bar for each value, one below the other. */
typedef struct ifl_bar {
    const char *label;
    const char *note; /* behind the label, dim; or NULL */
    double value[IFL_BAR_VALUES];
    const char *text[IFL_BAR_VALUES]; /* the value as it is read: "268.4 MB" */
    double low, high;                 /* a range around the first value; high 0: none */
} ifl_bar;

typedef struct ifl_bars {
    const char *title;
    const char *summary; /* a sentence for those who cannot see it */
    const char
        *name[IFL_BAR_VALUES]; /* what the values are; the second is NULL where there is only one */
    IFL_VEC(ifl_bar) list;
    size_t left_out; /* further ones that are not drawn */
} ifl_bars;

typedef struct ifl_tick {
    double at;
    const char *text;
} ifl_tick;

typedef struct ifl_axis {
    const char *label;
    double low, high;
    bool is_log;
    ifl_tick ticks[IFL_AXIS_TICKS];
    size_t tick_count;
} ifl_axis;

typedef struct ifl_point {
    double x, y;
} ifl_point;

/* A curve through points, and one mark: where the launch is. */
typedef struct ifl_plot {
    const char *title;
    const char *summary;
    ifl_axis x, y;
    IFL_VEC(ifl_point) curve;
    ifl_point mark;
    const char *mark_text;
} ifl_plot;

#endif
