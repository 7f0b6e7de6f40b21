/* SPDX-License-Identifier: Apache-2.0
 * Holds a JSON file to a JSON Schema: `validate_json SCHEMA FILE`. It knows the keywords that the
 * schemas of this tree use (JSON Schema, draft 7), and fails on any other, so that none is
 * ignored. */
#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static json_t *root;

typedef struct place {
    const struct place *in;
    const char *name; /* NULL: an index */
    size_t index;
} place;

static void print_place(const place *at)
{
    if (!at)
        return;
    print_place(at->in);
    if (at->name)
        fprintf(stderr, "/%s", at->name);
    else
        fprintf(stderr, "/%zu", at->index);
}

static bool fail(const place *at, const char *what, const char *detail)
{
    print_place(at);
    fprintf(stderr, ": %s %s\n", what, detail);
    return false;
}

static bool check(const json_t *schema, const json_t *value, const place *at);

static bool is_type(const char *type, const json_t *value)
{
    const struct {
        const char *name;
        bool is;
    } types[] = {
        {"object", json_is_object(value)}, {"array", json_is_array(value)},
        {"string", json_is_string(value)}, {"integer", json_is_integer(value)},
        {"number", json_is_number(value)}, {"boolean", json_is_boolean(value)},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].is;
    return false;
}

static bool check_type(const json_t *schema, const json_t *rule, const json_t *value,
                       const place *at)
{
    (void)schema;
    return is_type(json_string_value(rule), value) ||
           fail(at, "is not of type", json_string_value(rule));
}

static bool check_const(const json_t *schema, const json_t *rule, const json_t *value,
                        const place *at)
{
    (void)schema;
    return json_equal(rule, value) || fail(at, "is not", "the constant");
}

static bool check_enum(const json_t *schema, const json_t *rule, const json_t *value,
                       const place *at)
{
    size_t i;
    json_t *one;
    (void)schema;
    json_array_foreach((json_t *)rule, i, one) if (json_equal(one, value)) return true;
    return fail(at, "is none of the enum:", json_is_string(value) ? json_string_value(value) : "");
}

static bool check_minimum(const json_t *schema, const json_t *rule, const json_t *value,
                          const place *at)
{
    (void)schema;
    return json_number_value(value) >= json_number_value(rule) ||
           fail(at, "is below", "its minimum");
}

static bool check_maximum(const json_t *schema, const json_t *rule, const json_t *value,
                          const place *at)
{
    (void)schema;
    return json_number_value(value) <= json_number_value(rule) ||
           fail(at, "is above", "its maximum");
}

static bool check_length(const json_t *schema, const json_t *rule, const json_t *value,
                         const place *at)
{
    (void)schema;
    return (json_int_t)json_string_length(value) >= json_integer_value(rule) ||
           fail(at, "is too", "short");
}

static bool check_required(const json_t *schema, const json_t *rule, const json_t *value,
                           const place *at)
{
    size_t i;
    json_t *name;
    (void)schema;
    json_array_foreach(
        (json_t *)rule, i,
        name) if (!json_object_get(value,
                                   json_string_value(name))) return fail(at, "lacks",
                                                                         json_string_value(name));
    return true;
}

static bool check_properties(const json_t *schema, const json_t *rule, const json_t *value,
                             const place *at)
{
    const char *name;
    json_t *one;
    (void)schema;
    json_object_foreach((json_t *)value, name, one)
    {
        const place inside = {at, name, 0};
        json_t *property = json_object_get(rule, name);
        if (property && !check(property, one, &inside))
            return false;
    }
    return true;
}

static bool check_additional(const json_t *schema, const json_t *rule, const json_t *value,
                             const place *at)
{
    const char *name;
    json_t *one;
    json_object_foreach(
        (json_t *)value, name,
        one) if (json_is_false(rule) &&
                 !json_object_get(json_object_get(schema, "properties"),
                                  name)) return fail(at, "has what the schema has not:", name);
    return true;
}

static bool check_items(const json_t *schema, const json_t *rule, const json_t *value,
                        const place *at)
{
    size_t i;
    json_t *one;
    (void)schema;
    json_array_foreach((json_t *)value, i, one)
    {
        const place inside = {at, NULL, i};
        if (!check(rule, one, &inside))
            return false;
    }
    return true;
}

static bool check_ref(const json_t *schema, const json_t *rule, const json_t *value,
                      const place *at)
{
    static const char start[] = "#/definitions/";
    const char *name = json_string_value(rule);
    (void)schema;
    json_t *found =
        strncmp(name, start, strlen(start)) == 0
            ? json_object_get(json_object_get(root, "definitions"), name + strlen(start))
            : NULL;
    return found ? check(found, value, at) : fail(at, "no such definition:", name);
}

static bool pass(const json_t *schema, const json_t *rule, const json_t *value, const place *at)
{
    (void)schema;
    (void)rule;
    (void)value;
    (void)at;
    return true;
}

static const struct {
    const char *keyword;
    bool (*check)(const json_t *schema, const json_t *rule, const json_t *value, const place *at);
} keywords[] = {
    {"type", check_type},
    {"const", check_const},
    {"enum", check_enum},
    {"minimum", check_minimum},
    {"maximum", check_maximum},
    {"minLength", check_length},
    {"required", check_required},
    {"properties", check_properties},
    {"additionalProperties", check_additional},
    {"items", check_items},
    {"$ref", check_ref},
    {"$schema", pass},
    {"$id", pass},
    {"title", pass},
    {"description", pass},
    {"definitions", pass},
};

static bool check(const json_t *schema, const json_t *value, const place *at)
{
    const char *name;
    json_t *rule;
    json_object_foreach((json_t *)schema, name, rule)
    {
        size_t i = 0;
        while (i < sizeof keywords / sizeof *keywords && strcmp(keywords[i].keyword, name) != 0)
            i++;
        if (i == sizeof keywords / sizeof *keywords)
            return fail(at, "this validator does not know the keyword", name);
        if (!keywords[i].check(schema, rule, value, at))
            return false;
    }
    return true;
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *read = json_load_file(path, JSON_DECODE_ANY, &error);
    if (!read)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    return read;
}

int main(int argc, char **argv)
{
    root = argc == 3 ? load(argv[1]) : NULL;
    json_t *value = root ? load(argv[2]) : NULL;
    const bool is_valid = value && check(root, value, NULL);
    json_decref(value);
    json_decref(root);
    return is_valid ? EXIT_SUCCESS : EXIT_FAILURE;
}
