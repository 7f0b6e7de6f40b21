/* SPDX-License-Identifier: Apache-2.0
 * A curve on two axes, linear or logarithmic, and a mark on it. */
#include "report/svg.h"

#include <math.h>

enum { WIDTH = 480, HEIGHT = 260, LEFT = 52, RIGHT = 456, TOP = 32, BOTTOM = 212 };

/* Share of the axis, 0 at its low end; what lies outside of it is drawn at its end. */
static double share_of(const ifl_axis *axis, double value)
{
    const double share = axis->is_log ? log(value / axis->low) / log(axis->high / axis->low)
                                      : (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(share, 0), 1);
}

static double x_of(const ifl_plot *plot, double value)
{
    return LEFT + (RIGHT - LEFT) * share_of(&plot->x, value);
}

static double y_of(const ifl_plot *plot, double value)
{
    return BOTTOM - (BOTTOM - TOP) * share_of(&plot->y, value);
}

static void put_axes(FILE *out, const ifl_plot *plot)
{
    for (size_t i = 0; i < plot->x.tick_count; i++) {
        const double x = x_of(plot, plot->x.ticks[i].at);
        fprintf(out, "<path class=\"grid\" d=\"M%.1f %dV%d\"/>\n", x, TOP, BOTTOM);
        ifl_svg_text(out, x, BOTTOM + 18, "tick middle", plot->x.ticks[i].text);
    }
    for (size_t i = 0; i < plot->y.tick_count; i++) {
        const double y = y_of(plot, plot->y.ticks[i].at);
        fprintf(out, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>\n", LEFT, y, RIGHT);
        ifl_svg_text(out, LEFT - 6, y + 4, "tick end", plot->y.ticks[i].text);
    }
    ifl_svg_text(out, (LEFT + RIGHT) / 2.0, BOTTOM + 39, "tick middle", plot->x.label);
    ifl_svg_text(out, 0, 12, "tick", plot->y.label);
}

static void put_curve(FILE *out, const ifl_plot *plot)
{
    fputs("<path class=\"curve\" d=\"", out);
    for (size_t i = 0; i < plot->curve.count; i++)
        fprintf(out, "%c%.1f %.1f", i ? 'L' : 'M', x_of(plot, plot->curve.at[i].x),
                y_of(plot, plot->curve.at[i].y));
    fputs("\"/>\n", out);
}

/* What the mark is stands above the plot, where no curve crosses it. */
static void put_mark(FILE *out, const ifl_plot *plot)
{
    const double x = x_of(plot, plot->mark.x), y = y_of(plot, plot->mark.y);
    fprintf(out,
            "<circle class=\"mark\" cx=\"%.1f\" cy=\"%.1f\" r=\"5\" data-x=\"%.17g\" "
            "data-y=\"%.17g\"><title>",
            x, y, plot->mark.x, plot->mark.y);
    ifl_html_put(out, plot->mark_text);
    fprintf(out,
            "</title></circle>\n<text x=\"%d\" y=\"12\" class=\"strong end\"><tspan "
            "class=\"mark\">● </tspan>",
            RIGHT);
    ifl_html_put(out, plot->mark_text);
    fputs("</text>\n", out);
}

void ifl_svg_plot(FILE *out, const ifl_plot *plot)
{
    ifl_svg_open(out, plot->title, plot->summary, WIDTH, HEIGHT);
    put_axes(out, plot);
    put_curve(out, plot);
    put_mark(out, plot);
    ifl_svg_close(out);
}
