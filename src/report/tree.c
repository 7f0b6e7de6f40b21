/* SPDX-License-Identifier: Apache-2.0
 * A JSON document while it is built, with jansson. Knows no schema. */
#include "report/tree.h"

#include "base/error.h"
#include "base/figure.h"

#include <math.h>

void ifl_tree_put(ifl_tree *tree, json_t *object, const char *key, json_t *value)
{
    tree->no_memory |= json_object_set_new(object, key, value) != 0;
}

void ifl_tree_append(ifl_tree *tree, json_t *array, json_t *value)
{
    tree->no_memory |= json_array_append_new(array, value) != 0;
}

static json_t *text_of(ifl_tree *tree, const char *text)
{
    const char *clean = ifl_clean_utf8(&tree->arena, text);
    return clean ? json_string(clean) : NULL;
}

void ifl_tree_put_text(ifl_tree *tree, json_t *object, const char *key, const char *text)
{
    if (text)
        ifl_tree_put(tree, object, key, text_of(tree, text));
}

void ifl_tree_append_text(ifl_tree *tree, json_t *array, const char *text)
{
    ifl_tree_append(tree, array, text_of(tree, text));
}

void ifl_tree_put_real(ifl_tree *tree, json_t *object, const char *key, double value)
{
    if (isfinite(value))
        ifl_tree_put(tree, object, key, json_real(value));
}

void ifl_tree_put_flag(ifl_tree *tree, json_t *object, const char *key, bool value)
{
    ifl_tree_put(tree, object, key, json_boolean(value));
}

void ifl_tree_put_count(ifl_tree *tree, json_t *object, const char *key, uint64_t value)
{
    ifl_tree_put(tree, object, key,
                 value <= INT64_MAX ? json_integer((json_int_t)value) : json_real((double)value));
}

ifl_status ifl_tree_finish(ifl_tree *tree, json_t *root, ifl_status status, FILE *out,
                           ifl_error *error)
{
    if (status == IFL_OK && tree->no_memory)
        status = ifl_fail_memory(error, sizeof *tree);
    if (status == IFL_OK && json_dumpf(root, out, JSON_INDENT(1)) != 0 && !ferror(out))
        status =
            ifl_fail_memory(error, sizeof *tree); /* the stream is well: jansson ran out of it */
    fputc('\n', out);
    json_decref(root);
    ifl_arena_free(&tree->arena);
    return status;
}
