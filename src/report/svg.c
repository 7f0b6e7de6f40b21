/* SPDX-License-Identifier: Apache-2.0
 * What all charts have: the figure around them, text, escaping. */
#include "report/svg.h"

#include "base/figure.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '&':
        return "&amp;";
    case '"':
        return "&quot;";
    default:
        return (unsigned char)c < ' ' || c == 127 ? " " : NULL;
    }
}

void ifl_html_put(FILE *out, const char *text)
{
    while (*text) {
        const char *entity = entity_of(*text);
        const size_t bytes = ifl_utf8_length(text);
        if (entity)
            fputs(entity, out);
        else if (bytes)
            fwrite(text, 1, bytes, out);
        else
            fputs("\xef\xbf\xbd", out); /* U+FFFD */
        text += bytes ? bytes : 1;
    }
}

void ifl_svg_open(FILE *out, const char *title, const char *summary, int width, int height)
{
    fputs("<figure><figcaption>", out);
    ifl_html_put(out, title);
    fprintf(out, "</figcaption>\n<svg role=\"img\" viewBox=\"0 0 %d %d\" aria-label=\"", width,
            height);
    ifl_html_put(out, title);
    fputs(". ", out);
    ifl_html_put(out, summary);
    fputs("\">\n", out);
}

void ifl_svg_close(FILE *out)
{
    fputs("</svg></figure>\n", out);
}

void ifl_svg_text(FILE *out, double x, double y, const char *classes, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x, y, classes);
    ifl_html_put(out, text);
    fputs("</text>\n", out);
}
