/* SPDX-License-Identifier: Apache-2.0
 * A verdict as JSON: our own form (docs/check.schema.json), SARIF 2.1.0 and GitLab's code quality
 * report. */
#include "check/verdict.h"

#include "base/utf8.h"

#include <jansson.h>
#include <string.h>

/* Takes the reference; false where the value is NULL or memory is out. */
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

/* Texts are clean UTF-8, as JSON wants them. */
static json_t *text(const char *from)
{
    ifl_arena arena = {0};
    const char *clean = ifl_utf8_copy(&arena, from);
    json_t *made = clean ? json_string(clean) : NULL;
    ifl_arena_free(&arena);
    return made;
}

static ifl_status write_tree(json_t *tree, FILE *out, ifl_error *error)
{
    if (!tree)
        return ifl_fail_memory(error, 1);
    const int failed = json_dumpf(tree, out, JSON_INDENT(1)) | (fputc('\n', out) == EOF);
    json_decref(tree);
    return failed || ferror(out) ? ifl_fail(error, IFL_NO_FILE, "the verdict cannot be written")
                                 : IFL_OK;
}

/* What one of them makes of a breach; NULL without memory. */
typedef json_t *make_item(const ifl_verdict *verdict, const ifl_breach *breach);

static json_t *make_list(const ifl_verdict *verdict, make_item *make, bool with_allowed)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < verdict->breaches.count; i++) {
        const ifl_breach *b = &verdict->breaches.at[i];
        if ((with_allowed || !b->is_allowed) &&
            json_array_append_new(list, make(verdict, b)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* ---- our own --------------------------------------------------------------------------------- */

static bool put_value(json_t *object, const ifl_breach *b)
{
    const bool is_range = b->value.low != b->value.mid || b->value.high != b->value.mid;
    bool is_put = !b->has_value || (put(object, "value", json_real(b->value.mid)) &&
                                    put(object, "bound", json_real(b->bound)));
    if (b->has_value && is_range)
        is_put = is_put && put(object, "value_low", json_real(b->value.low)) &&
                 put(object, "value_high", json_real(b->value.high));
    return is_put && (!b->has_baseline || put(object, "baseline", json_real(b->baseline)));
}

/* A text that is there. */
static bool put_text(json_t *object, const char *key, const char *value)
{
    return !*value || put(object, key, text(value));
}

static bool put_place(json_t *object, const ifl_breach *b)
{
    const ifl_source_place place = ifl_breach_place(b);
    return put_text(object, "file", place.file) &&
           (place.line <= 0 || put(object, "line", json_integer(place.line))) &&
           put_text(object, "source", place.text);
}

static json_t *make_breach(const ifl_verdict *verdict, const ifl_breach *b)
{
    char digits[17];
    (void)verdict;
    ifl_breach_fingerprint(b, digits);
    json_t *o = json_pack("{s:s, s:s, s:b}", "kind", ifl_breach_kind_name(b->kind), "severity",
                          ifl_severity_name(b->severity), "allowed", b->is_allowed);
    if (o && put(o, "rule", text(b->rule)) && put(o, "text", text(b->text)) && put_place(o, b) &&
        put_text(o, "kernel", b->kernel) && put_text(o, "gpu", b->gpu) &&
        put_text(o, "limit", b->limit) && put_value(o, b) && put(o, "budget", text(b->budget)) &&
        put(o, "budget_line", json_integer(b->budget_line)) && put(o, "run", text(b->run)) &&
        put_text(o, "place", b->place_key) && put_text(o, "why", b->why) &&
        put(o, "fingerprint", json_string(digits)))
        return o;
    json_decref(o);
    return NULL;
}

static json_t *make_kernels(const ifl_verdict *verdict)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < verdict->kernels.count; i++) {
        const ifl_checked *k = &verdict->kernels.at[i];
        json_t *o = json_object();
        if (!o || !put(o, "budget", text(k->budget)) || !put(o, "run", text(k->run)) ||
            !put_text(o, "kernel", k->kernel) || json_array_append(list, o) != 0) {
            json_decref(o);
            json_decref(list);
            return NULL;
        }
        json_decref(o);
    }
    return list;
}

ifl_status ifl_verdict_json(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    json_t *tree =
        json_pack("{s:s, s:b, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:i, s:o, s:o}", "schema",
                  "inflight-check/1", "passed", !ifl_verdict_fails(verdict, false), "errors",
                  (int)ifl_verdict_count(verdict, IFL_SEVERITY_ERROR), "warnings",
                  (int)ifl_verdict_count(verdict, IFL_SEVERITY_WARNING), "notes",
                  (int)ifl_verdict_count(verdict, IFL_SEVERITY_NOTE), "allowed",
                  (int)ifl_verdict_allowed(verdict), "limits", (int)verdict->limits_held, "better",
                  (int)verdict->better, "runs", (int)verdict->runs, "runs_made",
                  (int)(verdict->runs - verdict->cached), "kernels", make_kernels(verdict),
                  "breaches", make_list(verdict, make_breach, true));
    return write_tree(tree, out, error);
}

/* ---- SARIF 2.1.0 ----------------------------------------------------------------------------- */

/* A path as a relative reference, or a file URI where it is absolute (RFC 3986, RFC 8089). */
static json_t *uri(const char *path)
{
    char made[3 * 1024];
    size_t used = path[0] == '/' ? (size_t)snprintf(made, sizeof made, "file://") : 0;
    if (path[0] == '.' && path[1] == '/')
        path += 2;
    for (; *path && used + 4 < sizeof made; path++) {
        const unsigned char c = (unsigned char)*path;
        const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                              (c >= '0' && c <= '9') || strchr("/._-~", c);
        used += (size_t)snprintf(made + used, sizeof made - used, is_plain ? "%c" : "%%%02X", c);
    }
    made[used] = '\0';
    return json_string(made);
}

/* The index of the first breach with this rule and kind: its rule's place in the list is how many
 * such are before it. */
static size_t first_of_rule(const ifl_verdict *verdict, const ifl_breach *b)
{
    size_t i = 0;
    while (verdict->breaches.at[i].kind != b->kind ||
           strcmp(verdict->breaches.at[i].rule, b->rule) != 0)
        i++;
    return i;
}

static size_t rule_index(const ifl_verdict *verdict, const ifl_breach *b)
{
    const size_t end = first_of_rule(verdict, b);
    size_t index = 0;
    for (size_t i = 0; i < end; i++)
        index += first_of_rule(verdict, &verdict->breaches.at[i]) == i;
    return index;
}

static json_t *rule_id(const ifl_breach *b)
{
    char id[256];
    snprintf(id, sizeof id, "%s/%.200s", ifl_breach_kind_name(b->kind), b->rule);
    return text(id);
}

static json_t *make_rules(const ifl_verdict *verdict)
{
    static const char *const about[] = {
        [IFL_BREACH_LIMIT] = "A limit of a performance budget is exceeded.",
        [IFL_BREACH_FINDING] = "A finding in the memory requests of a kernel.",
        [IFL_BREACH_FAULT] = "A kernel or program ended with a fault.",
        [IFL_BREACH_BASELINE] = "The baseline and the run do not have the same kernels.",
    };
    json_t *rules = json_array();
    for (size_t i = 0; rules && i < verdict->breaches.count; i++) {
        const ifl_breach *b = &verdict->breaches.at[i];
        if (first_of_rule(verdict, b) != i)
            continue;
        json_t *rule = json_pack("{s:o, s:{s:s}}", "id", rule_id(b), "shortDescription", "text",
                                 about[b->kind]);
        if (json_array_append_new(rules, rule) != 0) {
            json_decref(rules);
            return NULL;
        }
    }
    return rules;
}

static json_t *make_location(const ifl_breach *b)
{
    const ifl_source_place place = ifl_breach_place(b);
    json_t *physical = json_pack("{s:{s:o}}", "artifactLocation", "uri", uri(place.file));
    json_t *region = place.line > 0 ? json_pack("{s:i}", "startLine", place.line) : NULL;
    if (region && *place.text &&
        !put(region, "snippet", json_pack("{s:o}", "text", text(place.text))))
        return NULL;
    if (!physical || (region && !put(physical, "region", region)))
        return NULL;
    json_t *location = json_pack("{s:o}", "physicalLocation", physical);
    if (location && *b->kernel &&
        !put(location, "logicalLocations",
             json_pack("[{s:o, s:s}]", "fullyQualifiedName", text(b->kernel), "kind", "function")))
        return NULL;
    return location;
}

static bool put_suppression(json_t *result, const ifl_breach *b)
{
    json_t *one = json_pack("{s:s}", "kind", b->is_allowed_in_source ? "inSource" : "external");
    return one && put_text(one, "justification", b->why) &&
           put(result, "suppressions", json_pack("[o]", one));
}

static json_t *make_result(const ifl_verdict *verdict, const ifl_breach *b)
{
    char digits[17];
    ifl_breach_fingerprint(b, digits);
    json_t *result = json_pack(
        "{s:o, s:i, s:s, s:{s:o}, s:[o], s:{s:s}}", "ruleId", rule_id(b), "ruleIndex",
        (int)rule_index(verdict, b), "level", ifl_severity_name(b->severity), "message", "text",
        text(b->text), "locations", make_location(b), "partialFingerprints", "inflight/v1", digits);
    if (!result || (b->is_allowed && !put_suppression(result, b))) {
        json_decref(result);
        return NULL;
    }
    return result;
}

ifl_status ifl_verdict_sarif(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    json_t *tree =
        json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:o}]}", "$schema",
                  "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                  "tool", "driver", "name", "inflight", "version", ifl_version(), "rules",
                  make_rules(verdict), "results", make_list(verdict, make_result, true));
    return write_tree(tree, out, error);
}

/* ---- GitLab ---------------------------------------------------------------------------------- */

static json_t *make_issue(const ifl_verdict *verdict, const ifl_breach *b)
{
    static const char *const severities[] = {"info", "minor", "major"};
    const ifl_source_place place = ifl_breach_place(b);
    char digits[17];
    (void)verdict;
    ifl_breach_fingerprint(b, digits);
    return json_pack("{s:o, s:o, s:s, s:s, s:{s:o, s:{s:i}}}", "description", text(b->text),
                     "check_name", rule_id(b), "fingerprint", digits, "severity",
                     severities[b->severity], "location", "path",
                     text(strncmp(place.file, "./", 2) == 0 ? place.file + 2 : place.file), "lines",
                     "begin", place.line > 0 ? place.line : 1);
}

ifl_status ifl_verdict_gitlab(const ifl_verdict *verdict, FILE *out, ifl_error *error)
{
    return write_tree(make_list(verdict, make_issue, false), out, error);
}
