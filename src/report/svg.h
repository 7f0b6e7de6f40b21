/* SPDX-License-Identifier: Apache-2.0
 * Charts as inline SVG, and text that is safe in HTML. Colours and fonts are classes, which
 * report_html.c explains. */
#ifndef IFL_REPORT_SVG_H
#define IFL_REPORT_SVG_H

#include "report/chart.h"

#include <stdio.h>

/* `text` with the characters escaped that mean something in HTML; control characters become spaces,
 * bytes that are not UTF-8 U+FFFD. */
void ifl_html_put(FILE *out, const char *text);

/* A figure with its title; the SVG is an image to those who hear the page, with the summary as its
 * text. */
void ifl_svg_open(FILE *out, const char *title, const char *summary, int width, int height);
void ifl_svg_close(FILE *out);
/* Text at a place. `classes`: "tick", "end" (it ends there), "middle". */
void ifl_svg_text(FILE *out, double x, double y, const char *classes, const char *text);

void ifl_svg_bars(FILE *out, const ifl_bars *bars);
void ifl_svg_plot(FILE *out, const ifl_plot *plot);

#endif
