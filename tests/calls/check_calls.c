/* SPDX-License-Identifier: Apache-2.0
 * Every call of the stand-in with one wrong word after the other: NULL, freed objects, objects of
 * another kind, addresses that are none. Each must give the code that call_word.def says; with
 * nothing wrong, the call's own. usage: check_calls VERSION | --names */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned failures, checks;

/* Codes that the driver has under another number. */
static int code_in(const call_row *row, int code)
{
    static const int others[][2] = {{98, 400}, {21, 1}, {12, 1}, {13, 500}};
    for (size_t i = 0; row->is_driver && i < sizeof others / sizeof *others; i++)
        if (others[i][0] == code)
            return others[i][1];
    return code;
}

static void check(const call_row *row, const word words[MOST_WORDS], int code, const char *wrong,
                  size_t which)
{
    const int is = invoke(find_call(row->name), words);
    checks++;
    if (is == code)
        return;
    printf("%s with %s %zu gives %d, not %d\n", row->name, wrong, which, is, code);
    failures++;
}

static void fill(const call_row *row, word words[MOST_WORDS])
{
    memset(words, 0, MOST_WORDS * sizeof *words);
    for (int i = 0; i < MOST_WORDS && row->words[i]; i++)
        words[i] = right_word(row->words[i]);
}

static void check_wrong(const call_row *row, int at)
{
    wrong_word wrong[MOST_WRONG];
    const size_t count = wrong_words(row->words[at], wrong);
    for (size_t i = 0; i < count; i++) {
        word words[MOST_WORDS];
        fill(row, words);
        words[at] = wrong[i].is;
        check(row, words, code_in(row, wrong[i].code), word_abouts[row->words[at]].name, i);
    }
}

static void check_row(const call_row *row)
{
    word words[MOST_WORDS];
    renew_world();
    for (int i = 0; i < MOST_WORDS && row->words[i]; i++)
        check_wrong(row, i);
    fill(row, words);
    check(row, words, row->code, "nothing wrong", 0);
}

/* What nvcc's code calls gives no code: it must only come back. */
static void register_nothing(void)
{
    void (*forget)(void *);
    void (*function)(void *, const char *, char *, const char *, int, void *, void *, void *,
                     void *, int *);
    void (*variable)(void *, void *, char *, const char *, int, size_t, int, int);
    char (*init)(void *);
    *(void **)&forget = find_call("__cudaUnregisterFatBinary");
    *(void **)&function = find_call("__cudaRegisterFunction");
    *(void **)&init = find_call("__cudaInitModule");
    for (size_t i = 0; i <= no_handle_count; i++) {
        void *handle = (void *)(i ? no_handles[i - 1] : 0);
        function(handle, "host", NULL, "name", 0, NULL, NULL, NULL, NULL, NULL);
        *(void **)&variable = find_call("__cudaRegisterVar");
        variable(handle, scratch, NULL, "name", 0, 4, 0, 0);
        *(void **)&variable = find_call("__cudaRegisterManagedVar");
        variable(handle, scratch, NULL, NULL, 0, 4, 0, 0);
        failures += init(handle) != 0;
        forget(handle);
    }
}

/* What a call writes ends where the structure of that version does (sizeof with the headers of CUDA
 * 11.8, 12.9 and 13.0), or programs lose what lies behind it. */
static void check_written(int version)
{
    enum { UNTOUCHED = 0xa5, ROOM = 2048, VERSIONS = 3, FIRST_VERSION = 11 };
    static const struct {
        const char *name;
        word_kind second;
        size_t bytes[VERSIONS];
    } rows[] = {{"cudaFuncGetAttributes", WORD_FUNCTION, {56, 144, 144}},
                {"cudaPointerGetAttributes", WORD_ANY_AT, {24, 24, 88}},
                {"cudaGetDeviceProperties", WORD_ORDINAL, {728, 1032, 1008}}};
    static _Alignas(8) uint8_t out[ROOM];
    renew_world();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t bytes = rows[i].bytes[version - FIRST_VERSION];
        const word words[MOST_WORDS] = {(word)(uintptr_t)out, right_word(rows[i].second)};
        size_t end = ROOM;
        memset(out, UNTOUCHED, ROOM);
        failures += invoke(find_call(rows[i].name), words) != 0;
        while (end && out[end - 1] == UNTOUCHED)
            end--;
        checks++;
        if (end == bytes)
            continue;
        printf("%s writes %zu bytes, not %zu\n", rows[i].name, end, bytes);
        failures++;
    }
}

int main(int argc, char **argv)
{
    const int version = argc > 1 ? atoi(argv[1]) : 0;
    if (argc > 1 && strcmp(argv[1], "--names") == 0) {
        for (size_t i = 0; i < call_row_count; i++)
            puts(call_rows[i].name);
        return 0;
    }
    load_libraries(version);
    register_nothing();
    check_written(version);
    for (size_t i = 0; i < call_row_count; i++)
        if (version >= call_rows[i].first && version <= call_rows[i].last)
            check_row(&call_rows[i]);
    printf("%u calls, %u failures\n", checks, failures);
    return failures != 0;
}
