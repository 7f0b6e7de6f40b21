/* SPDX-License-Identifier: Apache-2.0
 * See words.h: the tables, and words that are no pointers to structures. */
#include "words.h"

#include <string.h>
#include <sys/mman.h>

const word_about word_abouts[] = {
    {"end", ROLE_FIXED, CLASS_NONE, 0},
#define WORD(name, role, class, number) {#name, ROLE_##role, CLASS_##class, number},
#include "call_word.def"
#undef WORD
};

/* Words are given without their prefix, up to fourteen of them. */
#define EACH(...)                                                                                  \
    EACH_OF(__VA_ARGS__, END, END, END, END, END, END, END, END, END, END, END, END, END, END)
#define EACH_OF(a, b, c, d, e, f, g, h, i, j, k, l, m, n, ...)                                     \
    {                                                                                              \
        WORD_##a, WORD_##b, WORD_##c, WORD_##d, WORD_##e, WORD_##f, WORD_##g, WORD_##h, WORD_##i,  \
            WORD_##j, WORD_##k, WORD_##l, WORD_##m, WORD_##n                                       \
    }

const call_row call_rows[] = {
#define CALL(first, last, code, name, ...) {first, last, code, #name, EACH(__VA_ARGS__), false},
#include "words_runtime.def"
#undef CALL
#define CALL(first, last, code, name, ...) {first, last, code, #name, EACH(__VA_ARGS__), true},
#include "words_driver.def"
#undef CALL
};
const size_t call_row_count = sizeof call_rows / sizeof *call_rows;

/* ---- right ----------------------------------------------------------------------------------- */

static word captured_stream(void)
{
    enum { RELAXED = 2 };
    const word stream = live_object(CLASS_STREAM);
    invoke(find_call("cudaStreamBeginCapture"), (const word[MOST_WORDS]){stream, RELAXED});
    return stream;
}

static word new_page(void)
{
    enum { PAGE = 4096 };
    void *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return page == MAP_FAILED ? 0 : (word)page;
}

static word right_name(word_kind kind)
{
    static const char *const names[] = {
        [WORD_KERNEL_NAME] = "poke", [WORD_VARIABLE_NAME] = "scale", [WORD_CALL_NAME] = "cuInit"};
    return (word)(kind == WORD_PATH ? module_path : names[kind]);
}

static word right_choice(word_kind kind)
{
    enum { DEFAULT_DIRECTION = 4, RELAXED = 2 };
    return kind == WORD_COPY_KIND ? DEFAULT_DIRECTION : kind == WORD_CAPTURE_MODE ? RELAXED : 0;
}

/* dim3 {1, 1, 1} */
static word right_size(word_role role)
{
    return role == ROLE_SIZE_XY ? 1 | (word)1 << 32 : 1;
}

word right_word(word_kind kind)
{
    const word_about *about = &word_abouts[kind];
    switch (about->role) {
    case ROLE_NEW:
    case ROLE_OUT:
    case ROLE_MAY_OUT:
    case ROLE_IN:
    case ROLE_MAY_IN:
        return (word)scratch;
    case ROLE_CAPTURED:
        return captured_stream();
    case ROLE_PAGES:
        return new_page();
    case ROLE_POINTER:
        return right_pointer(kind);
    case ROLE_NAME:
        return right_name(kind);
    case ROLE_SYMBOL:
        return (word)&symbol_scale;
    case ROLE_CHOICE:
        return right_choice(kind);
    case ROLE_NUMBER:
    case ROLE_FIXED:
        return about->number;
    case ROLE_SIZE_XY:
    case ROLE_SIZE_X:
    case ROLE_SIZE_Z:
        return right_size(about->role);
    default:
        return live_object(about->of);
    }
}

/* ---- wrong ----------------------------------------------------------------------------------- */

/* NULL is a stream, the current context, and may be freed. */
static bool may_be_null(word_kind kind)
{
    const object_class of = word_abouts[kind].of;
    return (of == CLASS_STREAM && kind != WORD_STREAM_GONE) || kind == WORD_CONTEXT_OR_0 ||
           kind == WORD_DEVICE_GONE || kind == WORD_PINNED_GONE || kind == WORD_ARRAY_GONE ||
           kind == WORD_TEXTURE_GONE || kind == WORD_SURFACE_GONE;
}

/* The low addresses may be numbers of textures that were made before. */
enum { MOST_NUMBERED = 1 << 16 };
static bool is_numbered(object_class of)
{
    return of == CLASS_TEXTURE || of == CLASS_SURFACE;
}

static size_t wrong_handles(word_kind kind, wrong_word *out)
{
    const word_about *about = &word_abouts[kind];
    const int code = (int)about->number;
    size_t count = 0;
    if (!may_be_null(kind))
        out[count++] = (wrong_word){0, code};
    if (world[about->of].gone_count)
        out[count++] = (wrong_word){world[about->of].gone[0], code};
    out[count++] =
        (wrong_word){live_object(about->of == CLASS_EVENT ? CLASS_STREAM : CLASS_EVENT), code};
    for (size_t i = 0; i < no_handle_count; i++)
        if (!is_numbered(about->of) || no_handles[i] > MOST_NUMBERED)
            out[count++] = (wrong_word){no_handles[i], code};
    return count;
}

/* Nowhere, where nothing is mapped, in freed memory, and behind the last byte. */
static size_t wrong_addresses(word_kind kind, wrong_word *out)
{
    const int code = (int)word_abouts[kind].number;
    const word device = live_object(CLASS_DEVICE);
    out[0] = (wrong_word){0, code};
    out[1] = (wrong_word){no_handles[0], code};
    out[2] = (wrong_word){world[CLASS_DEVICE].gone[0], code};
    out[3] = (wrong_word){device + DEVICE_BYTES, code};
    out[4] = (wrong_word){device + 2 * DEVICE_BYTES, code};
    return 5;
}

static size_t wrong_names(word_kind kind, wrong_word *out)
{
    enum { NOT_FOUND = 500, FILE_NOT_FOUND = 301 };
    out[0] = (wrong_word){0, (int)word_abouts[kind].number};
    if (kind == WORD_CALL_NAME)
        return 1;
    out[1] = (wrong_word){(word) "nothing", kind == WORD_PATH ? FILE_NOT_FOUND : NOT_FOUND};
    return 2;
}

/* cudaEventInterprocess needs cudaEventDisableTiming beside it: so its reference, and an H200. */
static size_t wrong_choices(word_kind kind, wrong_word *out)
{
    enum { INTERPROCESS_ALONE = 4 };
    const int code = (int)word_abouts[kind].number;
    out[0] = (wrong_word){9, code};
    out[1] = (wrong_word){(word)-1, code};
    out[2] = (wrong_word){INTERPROCESS_ALONE, code};
    return kind == WORD_EVENT_FLAGS ? 3 : 2;
}

static size_t wrong_nulls(word_kind kind, wrong_word *out)
{
    out[0] = (wrong_word){0, (int)word_abouts[kind].number};
    return 1;
}

static size_t wrong_pages(word_kind kind, wrong_word *out)
{
    out[1] = (wrong_word){no_handles[0], (int)word_abouts[kind].number};
    return wrong_nulls(kind, out) + 1;
}

size_t wrong_words(word_kind kind, wrong_word out[MOST_WRONG])
{
    switch (word_abouts[kind].role) {
    case ROLE_USE:
    case ROLE_GONE:
    case ROLE_FRESH:
    case ROLE_CAPTURED:
    case ROLE_SYMBOL:
        return wrong_handles(kind, out);
    case ROLE_NEW:
    case ROLE_OUT:
    case ROLE_IN:
        return wrong_nulls(kind, out);
    case ROLE_MEMORY:
        return wrong_addresses(kind, out);
    case ROLE_PAGES:
        return wrong_pages(kind, out);
    case ROLE_POINTER:
        return wrong_pointers(kind, out);
    case ROLE_NAME:
        return wrong_names(kind, out);
    case ROLE_CHOICE:
        return wrong_choices(kind, out);
    default:
        return 0;
    }
}
