/* SPDX-License-Identifier: Apache-2.0
 * Structures with pointers: "struct:f32x1024=random,null,i32:5". Members are words like others and
 * lie as the CUDA C++ Programming Guide has it, as in C: each at a multiple of its size, the whole
 * a multiple of the largest. */
#include "session/argument.h"

#include "session/element.h"

#include <inttypes.h>
#include <string.h>

static const char start[] = "struct:";
enum { POINTER_BYTES = 8 };

bool ifl_argument_is_structure(const char *word)
{
    return strncmp(word, start, strlen(start)) == 0;
}

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

/* How many bytes a member has, and what its address is a multiple of; 0 bytes where the word does
 * not tell. */
static uint64_t bytes_of(const char *word, uint64_t *alignment)
{
    const size_t length = strcspn(word, ":x=+");
    const ifl_element *element = ifl_element_find(word, length);
    *alignment = POINTER_BYTES;
    if (begins(word, "bytes:")) {
        *alignment = 1;
        return strspn(word + strlen("bytes:"), "0123456789abcdefABCDEF") / 2;
    }
    if (element && word[length] == ':')
        return *alignment = element->bytes;
    return element || strcmp(word, "null") == 0 || begins(word, "same:") || word[0] == '@'
               ? POINTER_BYTES
               : 0;
}

/* The parameter that a member stands for: plain bits of its size. */
static ifl_parameter member_of(const ifl_parameter *whole, uint64_t bytes)
{
    return (ifl_parameter){.name = whole->name,
                           .text = whole->text,
                           .bytes = bytes,
                           .type = bytes == 8   ? IFL_TYPE_B64
                                   : bytes == 4 ? IFL_TYPE_B32
                                   : bytes == 2 ? IFL_TYPE_B16
                                                : IFL_TYPE_B8};
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
    return (value + to - 1) / to * to;
}

static ifl_status add_member(ifl_arena *arena, const ifl_argument_context *context,
                             const char *word, ifl_argument_list *list, uint64_t *at,
                             uint64_t *largest, ifl_error *error)
{
    uint64_t alignment;
    const uint64_t bytes = bytes_of(word, &alignment);
    if (!bytes)
        return ifl_fail(error, IFL_USAGE,
                        "argument %zu: '%.100s' is no member of a structure: i32:5, "
                        "f32x1000=random, same:N, null or bytes:HEX",
                        list->count, word);
    const ifl_parameter member = member_of(context->param, bytes);
    const ifl_argument_context own = {&member, context->parameter, list->count, list->at,
                                      context->directory};
    ifl_argument argument;
    const ifl_status status = ifl_argument_parse(arena, &own, word, &argument, error);
    if (status != IFL_OK)
        return status;
    argument.offset = round_up(*at, alignment);
    *at = argument.offset + bytes;
    *largest = alignment > *largest ? alignment : *largest;
    return ifl_vec_push(list, argument) ? IFL_OK : ifl_fail_memory(error, sizeof argument);
}

ifl_status ifl_argument_parse_structure(ifl_arena *arena, const ifl_argument_context *context,
                                        const char *word, ifl_argument_list *list, ifl_error *error)
{
    const size_t first = list->count;
    uint64_t at = 0, largest = 1;
    ifl_status status = IFL_OK;
    for (const char *member = word + strlen(start); status == IFL_OK;) {
        const size_t length = strcspn(member, ",");
        const char *one = ifl_arena_text(arena, member, length);
        status = one ? add_member(arena, context, one, list, &at, &largest, error)
                     : ifl_fail_memory(error, length);
        if (!member[length])
            break;
        member += length + 1;
    }
    if (status == IFL_OK && round_up(at, largest) != context->param->bytes)
        status = ifl_fail(error, IFL_USAGE,
                          "the members of '%.200s' take %" PRIu64 " bytes; parameter %zu has "
                          "%" PRIu64,
                          word, round_up(at, largest), context->parameter, context->param->bytes);
    if (status != IFL_OK)
        list->count = first;
    return status;
}
