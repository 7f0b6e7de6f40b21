/* SPDX-License-Identifier: Apache-2.0
 * Figures and foreign text as people read them. Independent of the locale: the library must not ask
 * for one. */
#include "base/figure.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

ifl_figure ifl_figure_count(uint64_t value)
{
    char digits[24];
    ifl_figure figure;
    size_t length = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, value), at = 0;
    for (size_t i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            figure.text[at++] = ',';
        figure.text[at++] = digits[i];
    }
    figure.text[at] = '\0';
    return figure;
}

static void append_noun(ifl_figure *figure, const char *what)
{
    const bool is_one = strcmp(figure->text, "1") == 0;
    const size_t used = strlen(figure->text), length = strlen(what);
    const bool ends_in_h = length && what[length - 1] == 'h';
    snprintf(figure->text + used, sizeof figure->text - used, " %s%s", what,
             is_one      ? ""
             : ends_in_h ? "es"
                         : "s");
}

ifl_figure ifl_figure_counted(uint64_t count, const char *what)
{
    ifl_figure figure = ifl_figure_count(count);
    append_noun(&figure, what);
    return figure;
}

ifl_figure ifl_figure_bytes(uint64_t bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    ifl_figure figure;
    double scaled = (double)bytes;
    size_t unit = 0;
    /* 999.95 would print as 1000.0 */
    while (scaled >= (unit ? 999.95 : 1000.0) && unit + 1 < sizeof units / sizeof *units) {
        scaled /= 1000.0;
        unit++;
    }
    int decimals = unit == 0 ? 0 : scaled < 9.995 ? 2 : 1;
    snprintf(figure.text, sizeof figure.text, "%.*f %s", decimals, scaled, units[unit]);
    return figure;
}

/* One decimal, left out where it is 0. */
static void print_percent(ifl_figure *figure, double percent)
{
    int length = snprintf(figure->text, sizeof figure->text, "%.1f", percent);
    if (figure->text[length - 1] == '0')
        length -= 2;
    snprintf(figure->text + length, sizeof figure->text - (size_t)length, " %%");
}

ifl_figure ifl_figure_percent(uint64_t part, uint64_t whole)
{
    ifl_figure figure;
    double percent = whole ? 100.0 * (double)part / (double)whole : 0.0;
    if (!whole)
        snprintf(figure.text, sizeof figure.text, "-");
    else if (part == whole || part == 0)
        snprintf(figure.text, sizeof figure.text, "%.0f %%", percent);
    else if (percent < 0.1)
        snprintf(figure.text, sizeof figure.text, "<0.1 %%");
    else if (percent > 99.9 && percent < 100)
        snprintf(figure.text, sizeof figure.text, ">99.9 %%");
    else
        print_percent(&figure, percent);
    return figure;
}

ifl_figure ifl_figure_share(double share)
{
    const double least = 0.005;
    ifl_figure figure;
    snprintf(figure.text, sizeof figure.text, share > 0 && share < least ? "<1 %%" : "%.0f %%",
             100 * share);
    return figure;
}

ifl_figure ifl_figure_ratio(uint64_t total, uint64_t requests)
{
    ifl_figure figure;
    double ratio = requests ? (double)total / (double)requests : 0.0;
    snprintf(figure.text, sizeof figure.text, "%.*f", ratio < 9.995 ? 2 : 1, ratio);
    return figure;
}

ifl_figure ifl_figure_mean(uint64_t total, uint64_t count)
{
    ifl_figure figure;
    double mean = count ? (double)total / (double)count : 0.0;
    if (mean > 0 && mean < 0.005)
        snprintf(figure.text, sizeof figure.text, "<0.01");
    else if (mean < 999.5)
        snprintf(figure.text, sizeof figure.text, "%.*g", mean < 1 ? 2 : mean < 10 ? 3 : 4, mean);
    else
        figure = ifl_figure_count((uint64_t)(mean + 0.5));
    return figure;
}

ifl_figure ifl_figure_real(double value)
{
    ifl_figure figure;
    if (value >= 999.5 && value < 1e19)
        return ifl_figure_count((uint64_t)(value + 0.5));
    if (value > 0 && value < 0.005)
        snprintf(figure.text, sizeof figure.text, "<0.01");
    else
        snprintf(figure.text, sizeof figure.text, "%.3g", value);
    return figure;
}

ifl_figure ifl_figure_amount(double value, const char *what)
{
    ifl_figure figure = ifl_figure_real(value);
    append_noun(&figure, what);
    return figure;
}

/* ---- times ----------------------------------------------------------------------------------- */

static const struct {
    double us;
    const char *name;
} time_units[] = {{1e-3, "ns"}, {1, "µs"}, {1e3, "ms"}, {1e6, "s"}};

/* What rounds to 1000. */
static double thousand(int digits)
{
    return 1000 - 0.5 * pow(10, 3 - digits);
}

/* The first unit in which the figure is below 1000, also when it is rounded. */
static size_t time_unit(double us, int digits)
{
    size_t unit = 0;
    while (unit + 1 < sizeof time_units / sizeof *time_units &&
           us / time_units[unit].us >= thousand(digits))
        unit++;
    return unit;
}

static ifl_figure in_unit(double us, size_t unit, int digits)
{
    ifl_figure figure;
    const double value = us / time_units[unit].us;
    int decimals = digits - 1;
    while (decimals > 0 && value >= pow(10, digits - decimals) - 0.5 * pow(10, -decimals))
        decimals--;
    if (value >= thousand(digits) && value < 1e19)
        return ifl_figure_count((uint64_t)(value + 0.5));
    snprintf(figure.text, sizeof figure.text, "%.*f", decimals, value);
    return figure;
}

ifl_figure ifl_figure_time(double us, int digits)
{
    const double least_us = 0.5e-3;
    ifl_figure figure = {"?"};
    if (!(us >= 0) || !isfinite(us))
        return figure;
    const size_t unit = time_unit(us, digits);
    if (us < least_us)
        snprintf(figure.text, sizeof figure.text, us > 0 ? "<1 ns" : "0 ns");
    else
        snprintf(figure.text, sizeof figure.text, "%.28s %s", in_unit(us, unit, digits).text,
                 time_units[unit].name);
    return figure;
}

ifl_figure ifl_figure_time_range(double low_us, double high_us, double us)
{
    ifl_figure figure = {"?"};
    if (!(low_us >= 0) || !isfinite(high_us) || !isfinite(us))
        return figure;
    const size_t unit = time_unit(us, IFL_PREDICTED_DIGITS);
    snprintf(figure.text, sizeof figure.text, "%.14s–%.14s %s",
             in_unit(low_us, unit, IFL_PREDICTED_DIGITS).text,
             in_unit(high_us, unit, IFL_PREDICTED_DIGITS).text, time_units[unit].name);
    return figure;
}

/* ---- words ----------------------------------------------------------------------------------- */

ifl_figure ifl_figure_times(double times)
{
    const double near = 0.05; /* a mean of many that is not quite 1 */
    ifl_figure figure = ifl_figure_real(times);
    if (strcmp(figure.text, "1") == 0)
        snprintf(figure.text, sizeof figure.text, "once");
    else if (times > 1 - near && times < 1 + near)
        snprintf(figure.text, sizeof figure.text, "about once");
    else if (times == 0)
        snprintf(figure.text, sizeof figure.text, "never");
    else
        strncat(figure.text, " times", sizeof figure.text - strlen(figure.text) - 1);
    return figure;
}

ifl_figure ifl_figure_size(const uint32_t size[3])
{
    ifl_figure figure;
    int used = size[2] != 1 ? 3 : size[1] != 1 ? 2 : 1;
    if (used == 1)
        return ifl_figure_count(size[0]);
    snprintf(figure.text, sizeof figure.text, "%.13s×%.10s%s%.10s", ifl_figure_count(size[0]).text,
             ifl_figure_count(size[1]).text, used == 3 ? "×" : "",
             used == 3 ? ifl_figure_count(size[2]).text : "");
    return figure;
}

/* RFC 3629: length by the first byte; the second byte's range rules out overlong forms, surrogates
 * and values above U+10FFFF. */
static const struct {
    uint8_t first, last, length, second_low, second_high;
} utf8_forms[] = {
    {0x01, 0x7f, 1, 0x00, 0xff}, {0xc2, 0xdf, 2, 0x80, 0xbf}, {0xe0, 0xe0, 3, 0xa0, 0xbf},
    {0xe1, 0xec, 3, 0x80, 0xbf}, {0xed, 0xed, 3, 0x80, 0x9f}, {0xee, 0xef, 3, 0x80, 0xbf},
    {0xf0, 0xf0, 4, 0x90, 0xbf}, {0xf1, 0xf3, 4, 0x80, 0xbf}, {0xf4, 0xf4, 4, 0x80, 0x8f},
};

static bool continues(const unsigned char *byte, size_t length)
{
    for (size_t i = 2; i < length; i++)
        if ((byte[i] & 0xc0) != 0x80)
            return false;
    return true;
}

size_t ifl_utf8_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof utf8_forms / sizeof *utf8_forms; i++) {
        if (byte[0] < utf8_forms[i].first || byte[0] > utf8_forms[i].last)
            continue;
        size_t length = utf8_forms[i].length;
        if (length == 1)
            return 1;
        bool second = byte[1] >= utf8_forms[i].second_low && byte[1] <= utf8_forms[i].second_high;
        return second && continues(byte, length) ? length : 0;
    }
    return 0;
}

size_t ifl_utf8_width(const char *text)
{
    size_t width = 0;
    for (; *text; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

size_t ifl_utf8_cut(const char *text, size_t columns)
{
    size_t at = 0, width = 0;
    while (text[at]) {
        size_t length = ifl_utf8_length(text + at);
        if (width == columns)
            break;
        at += length ? length : 1;
        width++;
    }
    return at;
}

ifl_cut ifl_cut_middle(const char *text, size_t columns)
{
    const size_t width = ifl_utf8_width(text), bytes = strlen(text);
    const size_t tail = columns > 1 ? columns / 2 : 0,
                 head = columns > tail ? columns - tail - 1 : 0;
    if (width <= columns)
        return (ifl_cut){bytes, text + bytes};
    return (ifl_cut){ifl_utf8_cut(text, head), text + ifl_utf8_cut(text, width - tail)};
}

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */

char *ifl_clean_utf8(ifl_arena *arena, const char *text)
{
    char *copy = ifl_arena_alloc(arena, 3 * strlen(text) + 1), *to = copy;
    while (copy && *text) {
        size_t length = ifl_utf8_length(text);
        memcpy(to, length ? text : replacement, length ? length : 3);
        to += length ? length : 3;
        text += length ? length : 1;
    }
    return copy;
}

/* C0, DEL, and C1 as UTF-8 spells them (U+0080 to U+009F) */
static bool is_control(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    return byte[0] < 0x20 || byte[0] == 0x7f || (byte[0] == 0xc2 && byte[1] < 0xa0);
}

char *ifl_clean_line(ifl_arena *arena, const char *text)
{
    char *copy = ifl_clean_utf8(arena, text);
    char *to = copy;
    if (!copy)
        return NULL;
    for (const char *from = copy; *from;) {
        size_t length = ifl_utf8_length(from);
        bool blank = is_control(from) || *from == ' ';
        if (blank && to != copy)
            *to++ = ' ';
        for (size_t i = 0; !blank && i < length; i++)
            *to++ = from[i];
        from += length;
    }
    while (to > copy && to[-1] == ' ')
        to--;
    *to = '\0';
    return copy;
}

char *ifl_arena_printf(ifl_arena *arena, const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, list);
    char *text = length < 0 ? NULL : ifl_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    va_end(list);
    return text;
}
