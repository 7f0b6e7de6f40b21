/* SPDX-License-Identifier: Apache-2.0
 * Demangling through libiberty, within bounds: a short hostile name can stand for a signature of
 * any length, and a long one takes stack. It knows nothing of kernels. */
#include "base/demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_SIGNATURE = 32 * 1024,
    MAX_MANGLED = 4096,
    GUARDED = 1024 /* libiberty's own limit gives up above this length (2048 components) */
};

typedef struct output {
    jmp_buf full;
    size_t used;
    char text[MAX_SIGNATURE];
} output;

/* libiberty has no way to be stopped, but keeps nothing on the heap while it prints. */
static void collect(const char *part, size_t bytes, void *user)
{
    output *out = user;
    if (bytes >= sizeof out->text - out->used) /* and a 0 */
        longjmp(out->full, 1);
    memcpy(out->text + out->used, part, bytes);
    out->used += bytes;
}

static bool demangle(const char *mangled, size_t length, output *out)
{
    const int options = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP;
    if (length > MAX_MANGLED || setjmp(out->full))
        return false;
    return cplus_demangle_v3_callback(
        mangled, length > GUARDED ? options | DMGL_NO_RECURSE_LIMIT : options, collect, out);
}

/* Of a name at `at` of `text`, as nvcc calls the namespace that it keeps what is static in,
 * _INTERNAL_<digits>_<file>::; 0 of any other. */
static size_t internal_length(const char *text, const char *at)
{
    static const char start[] = "_INTERNAL_";
    const char *digits = at + strlen(start);
    const bool is_whole = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
    if (!is_whole || strncmp(at, start, strlen(start)) != 0 || !isdigit((unsigned char)*digits))
        return 0;
    while (isalnum((unsigned char)*digits) || *digits == '_')
        digits++;
    return strncmp(digits, "::", 2) == 0 ? (size_t)(digits + 2 - at) : 0;
}

static void drop_internal(output *out)
{
    out->text[out->used] = '\0';
    for (char *at = out->text; *at;) {
        const size_t length = internal_length(out->text, at);
        if (length)
            memmove(at, at + length, strlen(at + length) + 1);
        else
            at++;
    }
    out->used = strlen(out->text);
}

/* Of separate compilation, nvcc puts __nv_static_<digits>_<file>_ before the name of a static kernel or variable; the digits
 * tell the length of <file>. What follows, or all of any other name. */
static const char *without_file(const char *mangled)
{
    static const char start[] = "__nv_static_";
    const size_t before = strlen(start);
    if (strncmp(mangled, start, before) != 0 || !isdigit((unsigned char)mangled[before]))
        return mangled;
    char *file;
    const unsigned long length = strtoul(mangled + before, &file, 10);
    const size_t rest = strlen(file);
    const bool is_one =
        length && rest > 2 && length < rest - 2 && file[0] == '_' && file[length + 1] == '_';
    return is_one ? file + length + 2 : mangled;
}

const char *ifl_demangle(ifl_arena *arena, const char *mangled)
{
    mangled = without_file(mangled);
    output out;
    const size_t length = strlen(mangled);
    out.used = 0;
    if (!demangle(mangled, length, &out))
        return ifl_arena_text(arena, mangled, length);
    drop_internal(&out);
    return ifl_arena_text(arena, out.text, out.used);
}
