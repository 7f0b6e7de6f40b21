/* SPDX-License-Identifier: Apache-2.0
 * Reading and writing .npy: numpy.lib.format's description of the format. It knows nothing of
 * arguments. */
#include "session/npy.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAGIC_BYTES = 6, MAX_HEADER_BYTES = 64 * 1024, ALIGN = 64 };
static const char magic[] = "\x93NUMPY";

/* What NumPy calls a type besides the name that we write. */
static const struct {
    const char *descr;
    ifl_element_type type;
} other_names[] = {
    {"|b1", IFL_ELEMENT_U8},   {"|b1", IFL_ELEMENT_I8},        {"<i1", IFL_ELEMENT_I8},
    {"<u1", IFL_ELEMENT_U8},   {"|V2", IFL_ELEMENT_BF16},      {"V2", IFL_ELEMENT_BF16},
    {"<u2", IFL_ELEMENT_BF16}, {"bfloat16", IFL_ELEMENT_BF16},
};

static bool is_text(const char *text, size_t length, const char *other)
{
    return strlen(other) == length && memcmp(text, other, length) == 0;
}

static bool named_so(const ifl_element *element, const char *text, size_t length)
{
    if (is_text(text, length, element->npy))
        return true;
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (other_names[i].type == element->type && is_text(text, length, other_names[i].descr))
            return true;
    return false;
}

static const ifl_element *find_element(const char *text, size_t length, const ifl_element *as)
{
    if (as)
        return named_so(as, text, length) ? as : NULL;
    for (int i = 0; i < IFL_ELEMENT_COUNT; i++)
        if (is_text(text, length, ifl_element_get(i)->npy))
            return ifl_element_get(i);
    for (int i = 0; i < IFL_ELEMENT_COUNT; i++)
        if (named_so(ifl_element_get(i), text, length))
            return ifl_element_get(i);
    return NULL;
}

/* ---- the header ------------------------------------------------------------------------------ */

/* The text after "'key':" and blanks, or NULL. `text` is NUL-terminated. */
static const char *find_value(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at != ':')
        return NULL;
    at++;
    return at + strspn(at, " ");
}

static bool read_descr(const char *text, const ifl_element *as, ifl_npy *out)
{
    const char *at = find_value(text, "'descr'");
    if (!at || *at != '\'')
        return false;
    at++;
    out->element = find_element(at, strcspn(at, "'"), as);
    return out->element != NULL;
}

static bool read_shape(const char *text, ifl_npy *out, unsigned *dimensions)
{
    const char *at = find_value(text, "'shape'");
    if (!at || *at != '(')
        return false;
    out->count = 1;
    for (*dimensions = 0, at++; *(at += strspn(at, " ,")) != ')'; ++*dimensions) {
        char *end;
        if (*at < '0' || *at > '9')
            return false;
        const unsigned long long size = strtoull(at, &end, 10);
        if (__builtin_mul_overflow(out->count, (uint64_t)size, &out->count))
            return false;
        at = end;
    }
    return out->count <= INT64_MAX / 16;
}

static const char *header_fault(const char *text, const ifl_element *as, ifl_npy *out)
{
    unsigned dimensions;
    const char *order = find_value(text, "'fortran_order'");
    if (!read_descr(text, as, out))
        return as ? "its elements are not of the type that the argument gives"
                  : "its type is not one of i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64, "
                    "little endian";
    if (!read_shape(text, out, &dimensions))
        return "its shape is not understood";
    if (!order || (strncmp(order, "False", 5) != 0 && dimensions > 1))
        return "it is in Fortran order; save it in C order";
    return NULL;
}

/* The header's dictionary text, `length` bytes; `fault` gets a sentence part, or NULL. */
static bool take_header(const char *text, size_t length, const ifl_element *as, ifl_npy *out,
                        const char **fault)
{
    *fault = NULL;
    char *copy = strndup(text, length);
    if (!copy)
        return false;
    *fault = header_fault(copy, as, out);
    free(copy);
    return !*fault;
}

static ifl_status not_npy(const char *path, const char *what, ifl_error *error)
{
    return ifl_fail(error, IFL_BAD_INPUT, "'%s' is not a NumPy file that can be read: %s", path,
                    what);
}

/* The length of the dictionary: 2 bytes in version 1, 4 from version 2 on. */
static ifl_status read_prefix(FILE *stream, const char *path, size_t *length, ifl_error *error)
{
    uint8_t head[MAGIC_BYTES + 6] = {0};
    if (fread(head, 1, MAGIC_BYTES + 4, stream) != MAGIC_BYTES + 4 ||
        memcmp(head, magic, MAGIC_BYTES) != 0)
        return not_npy(path, "it does not begin with \\x93NUMPY", error);
    const uint8_t *size = head + MAGIC_BYTES + 2;
    const unsigned version = head[MAGIC_BYTES];
    if (version < 1 || version > 3)
        return not_npy(path, "its format version is not 1, 2 or 3", error);
    if (version > 1 && fread(head + MAGIC_BYTES + 4, 1, 2, stream) != 2)
        return not_npy(path, "it ends inside its header", error);
    *length = size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16 | (size_t)size[3] << 24;
    return *length <= MAX_HEADER_BYTES ? IFL_OK : not_npy(path, "its header is too long", error);
}

static ifl_status read_header(const char *path, const ifl_element *as, ifl_npy *npy,
                              ifl_error *error)
{
    size_t length = 0;
    const char *fault = NULL;
    const ifl_status status = read_prefix(npy->stream, path, &length, error);
    if (status != IFL_OK)
        return status;
    char *text = malloc(length + 1);
    if (!text)
        return ifl_fail_memory(error, length + 1);
    const bool whole = fread(text, 1, length, npy->stream) == length;
    const bool good = whole && take_header(text, length, as, npy, &fault);
    free(text);
    if (!whole)
        return not_npy(path, "it ends inside its header", error);
    if (!good)
        return fault ? not_npy(path, fault, error) : ifl_fail_memory(error, length);
    return IFL_OK;
}

/* Sizes in a file are not trusted: nothing is allocated for data that is not there. */
static ifl_status check_size(const char *path, const ifl_npy *npy, ifl_error *error)
{
    struct stat about;
    const long at = ftell(npy->stream);
    if (at < 0 || fstat(fileno(npy->stream), &about) != 0 || !S_ISREG(about.st_mode))
        return IFL_OK;
    const uint64_t wanted = npy->count * npy->element->bytes;
    if ((uint64_t)about.st_size - (uint64_t)at < wanted)
        return not_npy(path, "it is shorter than its header says", error);
    return IFL_OK;
}

ifl_status ifl_npy_open(const char *path, const ifl_element *as, ifl_npy *out, ifl_error *error)
{
    *out = (ifl_npy){.stream = fopen(path, "rbe")};
    if (!out->stream)
        return ifl_fail_file(error, "open", path);
    ifl_status status = read_header(path, as, out, error);
    if (status == IFL_OK)
        status = check_size(path, out, error);
    if (status != IFL_OK)
        ifl_npy_close(out);
    return status;
}

ifl_status ifl_npy_read(ifl_npy *npy, const char *path, void *to, ifl_error *error)
{
    if (fread(to, npy->element->bytes, npy->count, npy->stream) == npy->count)
        return IFL_OK;
    return ferror(npy->stream) ? ifl_fail_file(error, "read", path)
                               : not_npy(path, "it is shorter than its header says", error);
}

void ifl_npy_close(ifl_npy *npy)
{
    if (npy->stream)
        fclose(npy->stream);
    npy->stream = NULL;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_header(FILE *stream, const ifl_element *element, uint64_t count)
{
    char text[3 * ALIGN];
    const int length =
        snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu,), }",
                 element->npy, (unsigned long long)count);
    const size_t prefix = MAGIC_BYTES + 4;
    const size_t all = (prefix + (size_t)length + 1 + ALIGN - 1) / ALIGN * ALIGN;
    const size_t dictionary = all - prefix;
    const uint8_t version_and_size[4] = {1, 0, (uint8_t)dictionary, (uint8_t)(dictionary >> 8)};
    fwrite(magic, 1, MAGIC_BYTES, stream);
    fwrite(version_and_size, 1, sizeof version_and_size, stream);
    fprintf(stream, "%-*s\n", (int)dictionary - 1, text);
}

ifl_status ifl_npy_write(const char *path, const ifl_element *element, const void *data,
                         uint64_t count, ifl_error *error)
{
    ifl_file file;
    const ifl_status status = ifl_file_create(&file, path, error);
    if (status != IFL_OK)
        return status;
    write_header(file.stream, element, count);
    fwrite(data, element->bytes, count, file.stream); /* ifl_file_commit sees what went wrong */
    return ifl_file_commit(&file, error);
}
