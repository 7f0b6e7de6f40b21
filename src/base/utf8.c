/* SPDX-License-Identifier: Apache-2.0
 * See utf8.h. */
#include "base/utf8.h"

#include <inflight.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The character at `p`: its value, and how many of the `room` bytes it has; 0 when it is none. */
static unsigned read_character(const unsigned char *p, size_t room, uint32_t *value)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t least; /* a smaller value in this many bytes is an overlong form */
    } forms[] = {
        {0x80, 0x00, 0x01}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (unsigned n = 0; n < 4; n++) {
        if ((p[0] & forms[n].mask) != forms[n].lead)
            continue;
        *value = p[0] & (uint8_t)~forms[n].mask;
        for (unsigned i = 1; i <= n; i++) {
            if (i == room || (p[i] & 0xc0) != 0x80)
                return 0;
            *value = *value << 6 | (p[i] & 0x3f);
        }
        const bool surrogate = *value >= 0xd800 && *value < 0xe000;
        return *value >= forms[n].least && *value < 0x110000 && !surrogate ? n + 1 : 0;
    }
    return 0;
}

static bool is_control(uint32_t value)
{
    return (value < 0x20 && value != '\t') || (value >= 0x7f && value < 0xa0);
}

size_t ifl_utf8_clean_bytes(const char *text, size_t bytes)
{
    size_t at = 0;
    while (at < bytes) {
        uint32_t value;
        const unsigned read = read_character((const unsigned char *)text + at, bytes - at, &value);
        if (!read || is_control(value))
            break;
        at += read;
    }
    return at;
}

void ifl_utf8_clean(char *text)
{
    size_t left = strlen(text);
    while (left) {
        const size_t clean = ifl_utf8_clean_bytes(text, left);
        text += clean;
        left -= clean;
        if (left) {
            *text++ = '?'; /* the second byte of a C1 then stands alone, and goes too */
            left--;
        }
    }
}

char *ifl_utf8_copy(ifl_arena *arena, const char *text)
{
    char *copy = ifl_arena_text(arena, text, strlen(text));
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

void ifl_text_clean(char *text)
{
    ifl_utf8_clean(text);
}
