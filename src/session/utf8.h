/* SPDX-License-Identifier: Apache-2.0
 * Texts from outside that go into reports. */
#ifndef IFL_RUN_UTF8_H
#define IFL_RUN_UTF8_H

/* Replaces every byte that is not part of a UTF-8 character, and every control character but the
 * tab, with '?'. */
void ifl_utf8_clean(char *text);

#endif
