/* SPDX-License-Identifier: Apache-2.0
 * A JSON document while it is built. If memory runs out, that shows once, when the document is
 * written. */
#ifndef IFL_REPORT_TREE_H
#define IFL_REPORT_TREE_H

#include "base/arena.h"
#include "inflight.h"

#include <jansson.h>
#include <stdio.h>

typedef struct ifl_tree {
    ifl_arena arena; /* for texts on their way */
    bool no_memory;
} ifl_tree;

/* Takes `value`; NULL is memory that was missing. */
void ifl_tree_put(ifl_tree *tree, json_t *object, const char *key, json_t *value);
void ifl_tree_append(ifl_tree *tree, json_t *array, json_t *value);

/* What is not known is absent: a text that is NULL, a real that is not finite. Bytes that are no
 * UTF-8 are replaced. */
void ifl_tree_put_text(ifl_tree *tree, json_t *object, const char *key, const char *text);
void ifl_tree_put_real(ifl_tree *tree, json_t *object, const char *key, double value);
void ifl_tree_put_flag(ifl_tree *tree, json_t *object, const char *key, bool value);
/* JSON integers are signed here: a count past 2^63 is written as a real, exact to 53 bits. */
void ifl_tree_put_count(ifl_tree *tree, json_t *object, const char *key, uint64_t value);
void ifl_tree_append_text(ifl_tree *tree, json_t *array, const char *text);

/* Writes `root` unless `status` is a failure already, and frees both. A stream that failed stays
 * marked as one: the caller looks. */
ifl_status ifl_tree_finish(ifl_tree *tree, json_t *root, ifl_status status, FILE *out,
                           ifl_error *error);

#endif
