/* SPDX-License-Identifier: Apache-2.0
 * UTF-8 as RFC 3629 has it. */
#include "session/utf8.h"

#include <stdbool.h>
#include <stdint.h>

/* How many bytes the character at `p` has, or 0 when it is none. */
static unsigned character_bytes(const unsigned char *p)
{
    static const struct {
        uint8_t mask, lead;
        uint32_t least; /* a smaller value in this many bytes is an overlong form */
    } forms[] = {
        {0x80, 0x00, 0x01}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (unsigned n = 0; n < 4; n++) {
        if ((p[0] & forms[n].mask) != forms[n].lead)
            continue;
        uint32_t value = p[0] & (uint8_t)~forms[n].mask;
        for (unsigned i = 1; i <= n; i++) {
            if ((p[i] & 0xc0) != 0x80)
                return 0;
            value = value << 6 | (p[i] & 0x3f);
        }
        const bool surrogate = value >= 0xd800 && value < 0xe000;
        return value >= forms[n].least && value < 0x110000 && !surrogate ? n + 1 : 0;
    }
    return 0;
}

void ifl_utf8_clean(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p;) {
        const unsigned bytes = character_bytes(p);
        if (bytes == 0 || (*p < 0x20 && *p != '\t') || *p == 0x7f)
            *p = '?';
        p += bytes ? bytes : 1;
    }
}
