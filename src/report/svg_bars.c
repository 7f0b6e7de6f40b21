/* SPDX-License-Identifier: Apache-2.0
 * Horizontal bars under labels. The lengths are to one scale; the longest leaves room for the
 * longest figure. */
#include "report/svg.h"

#include "base/figure.h"

#include <string.h>

enum {
    WIDTH = 480,
    FIGURE_WIDTH = 84, /* of a value's text */
    LABEL_HEIGHT = 19,
    BAR_HEIGHT = 11,
    BAR_STEP = 15,
    ITEM_GAP = 8,
    LEGEND_HEIGHT = 22,
    LABEL_COLUMNS = 54, /* that fit with the larger font of narrow windows */
};

static const char *const bar_classes[IFL_BAR_VALUES] = {"first", "second"};

static double scale_of(const ifl_bars *bars)
{
    double most = 0;
    for (size_t i = 0; i < bars->list.count; i++) {
        const ifl_bar *b = &bars->list.at[i];
        for (int v = 0; v < IFL_BAR_VALUES; v++)
            most = b->value[v] > most ? b->value[v] : most;
        most = b->high > most ? b->high : most;
    }
    return most > 0 ? (WIDTH - FIGURE_WIDTH) / most : 0;
}

static int values_of(const ifl_bars *bars)
{
    return bars->name[1] ? 2 : 1;
}

static void put_legend(FILE *out, const ifl_bars *bars)
{
    double x = 0;
    for (int v = 0; v < values_of(bars); v++) {
        fprintf(out, "<rect x=\"%.1f\" y=\"2\" width=\"11\" height=\"11\" class=\"%s\"/>\n", x,
                bar_classes[v]);
        ifl_svg_text(out, x + 16, 12, "tick", bars->name[v]);
        x += 40 + 7.0 * (double)ifl_utf8_width(bars->name[v]);
    }
}

/* "axpy.cu:39  y[i] = ...", cut where it is too long, whole in the tip. A name is cut in its middle:
 * instances of one template differ at its end. */
static void put_label(FILE *out, const ifl_bar *bar, double y)
{
    const char *note = bar->note ? bar->note : "";
    const size_t label = ifl_utf8_width(bar->label),
                 room = label < LABEL_COLUMNS ? LABEL_COLUMNS - label : 0;
    const ifl_cut cut = ifl_cut_middle(bar->label, LABEL_COLUMNS);
    const size_t note_width = ifl_utf8_width(note),
                 note_bytes = ifl_utf8_cut(note, room > 2 ? room - 2 : 0);
    char text[8 * LABEL_COLUMNS + 1];
    fprintf(out, "<text x=\"0\" y=\"%.1f\" class=\"label\"><title>", y);
    ifl_html_put(out, bar->label);
    fputs(*note ? "  " : "", out);
    ifl_html_put(out, note);
    fputs("</title>", out);
    snprintf(text, sizeof text, "%.*s%s%s", (int)cut.head, bar->label, *cut.tail ? "…" : "",
             cut.tail);
    ifl_html_put(out, text);
    if (*note && room > 8) {
        snprintf(text, sizeof text, "%.*s%s", (int)note_bytes, note,
                 note_width + 2 > room ? "…" : "");
        fputs("<tspan dx=\"10\" class=\"note\">", out);
        ifl_html_put(out, text);
        fputs("</tspan>", out);
    }
    fputs("</text>\n", out);
}

static void put_bar(FILE *out, const ifl_bar *bar, int v, const char *name, double y, double scale)
{
    const double length = bar->value[v] * scale;
    const double end = v == 0 && bar->high * scale > length ? bar->high * scale : length;
    fprintf(out,
            "<rect x=\"0\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\" "
            "data-value=\"%.17g\"><title>",
            y, length, BAR_HEIGHT, bar_classes[v], bar->value[v]);
    ifl_html_put(out, bar->label);
    fputs(", ", out);
    ifl_html_put(out, name);
    fputs(": ", out);
    ifl_html_put(out, bar->text[v]);
    fputs("</title></rect>\n", out);
    if (v == 0 && bar->high > 0) {
        const double middle = y + BAR_HEIGHT / 2.0;
        fprintf(out, "<path class=\"range\" d=\"M%.1f %.1fH%.1fM%.1f %.1fv6M%.1f %.1fv6\"/>\n",
                bar->low * scale, middle, bar->high * scale, bar->low * scale, middle - 3,
                bar->high * scale, middle - 3);
    }
    ifl_svg_text(out, end + 5, y + BAR_HEIGHT - 1, "tick", bar->text[v]);
}

void ifl_svg_bars(FILE *out, const ifl_bars *bars)
{
    const int values = values_of(bars), item = LABEL_HEIGHT + values * BAR_STEP + ITEM_GAP;
    const int legend = values > 1 ? LEGEND_HEIGHT : 0;
    const double scale = scale_of(bars);
    double y = legend;
    ifl_svg_open(out, bars->title, bars->summary, WIDTH, legend + (int)bars->list.count * item);
    if (legend)
        put_legend(out, bars);
    for (size_t i = 0; i < bars->list.count; i++, y += item) {
        put_label(out, &bars->list.at[i], y + LABEL_HEIGHT - 6);
        for (int v = 0; v < values; v++)
            put_bar(out, &bars->list.at[i], v, bars->name[v], y + LABEL_HEIGHT + v * BAR_STEP,
                    scale);
    }
    fputs("</svg>", out);
    if (bars->left_out)
        fprintf(out, "<p class=\"dim\">and %zu more</p>\n", bars->left_out);
    fputs("</figure>\n", out);
}
