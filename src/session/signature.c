/* SPDX-License-Identifier: Apache-2.0
 * See signature.h. */
#include "session/signature.h"

#include <stdbool.h>
#include <string.h>

/* Types of C in a signature, and the element that holds the same. */
#define TYPES(ROW)                                                                                 \
    ROW("float", "f32")                                                                            \
    ROW("double", "f64")                                                                           \
    ROW("int", "i32")                                                                              \
    ROW("unsigned int", "u32")                                                                     \
    ROW("long", "i64")                                                                             \
    ROW("unsigned long", "u64")                                                                    \
    ROW("long long", "i64")                                                                        \
    ROW("unsigned long long", "u64")                                                               \
    ROW("short", "i16")                                                                            \
    ROW("unsigned short", "u16")                                                                   \
    ROW("signed char", "i8")                                                                       \
    ROW("unsigned char", "u8")                                                                     \
    ROW("__half", "f16")                                                                           \
    ROW("__nv_bfloat16", "bf16")
#define ROW(type, word) {type, {word, word "*"}},
static const struct {
    const char *type;
    const char *word[2]; /* of a value, of a pointer */
} types[] = {TYPES(ROW)};
#undef ROW

/* "float const*", "unsigned int": without what stands behind the type's name. */
static size_t base_bytes(const char *type, size_t bytes)
{
    static const char *const tails[] = {"*", " const", " volatile", " __restrict", " "};
    for (size_t i = 0; i < sizeof tails / sizeof *tails;) {
        size_t tail = strlen(tails[i]);
        bool ends = bytes > tail && strncmp(type + bytes - tail, tails[i], tail) == 0;
        bytes -= ends ? tail : 0;
        i = ends ? 0 : i + 1;
    }
    return bytes;
}

static const char *word_of(const char *type, size_t bytes)
{
    const size_t base = base_bytes(type, bytes), behind = bytes - base;
    const char *star = memchr(type + base, '*', behind);
    const bool is_one_pointer =
        star && !memchr(star + 1, '*', behind - (size_t)(star + 1 - type - base));
    for (size_t i = 0; i < sizeof types / sizeof *types && (!star || is_one_pointer); i++)
        if (strlen(types[i].type) == base && strncmp(types[i].type, type, base) == 0)
            return types[i].word[is_one_pointer];
    return "";
}

/* Where types have commas of their own, as in templates and pointers to functions, none is told. */
const char *ifl_signature_type(const char *signature, size_t parameter)
{
    const size_t length = strlen(signature);
    const char *open = length && signature[length - 1] == ')' ? strchr(signature, '(') : NULL;
    if (!open || strpbrk(open + 1, "(<"))
        return NULL;
    const char *type = open + 1;
    for (; parameter && *type != ')'; parameter--) {
        type += strcspn(type, ",)");
        type += strspn(type, ", ");
    }
    return *type == ')' ? NULL : word_of(type, strcspn(type, ",)"));
}
