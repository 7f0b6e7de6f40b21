/* SPDX-License-Identifier: Apache-2.0
 * Texts from outside that go to a terminal or into reports: UTF-8 as RFC 3629 has it, without
 * control characters. */
#ifndef IFL_BASE_UTF8_H
#define IFL_BASE_UTF8_H

#include "base/arena.h"

#include <stddef.h>

/* How many bytes stand before the first that is not part of a UTF-8 character, or is part of a
 * control character but the tab: C0, DEL and C1 (U+0080 to U+009F), which drive terminals too. */
size_t ifl_utf8_clean_bytes(const char *text, size_t bytes);
/* Replaces every such byte with '?'. */
void ifl_utf8_clean(char *text);
/* A clean copy; NULL without memory. */
char *ifl_utf8_copy(ifl_arena *arena, const char *text);

#endif
