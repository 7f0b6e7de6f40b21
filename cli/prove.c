/* SPDX-License-Identifier: Apache-2.0
 * inflight prove: what advice predicted beside what came of it, kept in a ledger of one line a
 * proof; and the record of each remedy, which `inflight advice --record` prints. */
#include "prove.h"
#include "commands.h"
#include "setters.h"
#include "terminal.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096, LINE_BYTES = 4096, MOST_REMEDIES = 64, COLUMNS = 7 };

typedef struct request {
    const char *rule, *gpu, *kernel, *ledger;
    bool dry;
} request;

/* Behind the larger gain in the ledger: "or more". */
#define OPEN " or more"

/* One line of the ledger. */
typedef struct proof {
    const char *kernel, *gpu, *rule, *by; /* by: "gpu" or "model" */
    double low, high, gain;
    bool is_open; /* the advice said "or more" */
} proof;

/* ---- the ledger ------------------------------------------------------------------------------ */

static bool ledger_path(char *path, size_t room)
{
    const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME"),
               *given = getenv("INFLIGHT_LEDGER");
    if (given && *given)
        snprintf(path, room, "%s", given);
    else if (data && data[0] == '/')
        snprintf(path, room, "%s/inflight/ledger", data);
    else if (home && *home)
        snprintf(path, room, "%s/.local/share/inflight/ledger", home);
    else
        return false;
    return true;
}

static void make_folders(const char *path)
{
    char folder[PATH_BYTES];
    snprintf(folder, sizeof folder, "%s", path);
    for (char *at = folder + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(folder, 0777);
            *at = '/';
        }
}

/* Appended in one write, so that two programs may do so at the same time. */
static ifl_status keep(const char *path, const proof *p, ifl_error *error)
{
    char line[LINE_BYTES];
    make_folders(path);
    snprintf(line, sizeof line, "%.2000s\t%.200s\t%.200s\t%.4g\t%.4g%s\t%.4g\t%s\n", p->kernel,
             p->gpu, p->rule, p->low, p->high, p->is_open ? OPEN : "", p->gain, p->by);
    FILE *file = fopen(path, "ae");
    const bool is_kept = file && fputs(line, file) >= 0;
    if ((file && fclose(file) != 0) || !is_kept)
        return ifl_cli_error(error, IFL_NO_FILE, "cannot write the ledger '%.300s': %s", path,
                             strerror(errno));
    return IFL_OK;
}

/* Splits the line in place. */
static bool read_proof(char *line, proof *p)
{
    char *column[COLUMNS];
    size_t count = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *at = line; at && count < COLUMNS; count++) {
        column[count] = at;
        at = strchr(at, '\t');
        if (at)
            *at++ = '\0';
    }
    if (count < COLUMNS)
        return false;
    *p = (proof){column[0],
                 column[1],
                 column[2],
                 column[6],
                 strtod(column[3], NULL),
                 strtod(column[4], NULL),
                 strtod(column[5], NULL),
                 strstr(column[4], OPEN) != NULL};
    return p->low > 0 && p->high >= p->low && p->gain > 0;
}

/* ---- records --------------------------------------------------------------------------------- */

typedef struct record {
    char rule[64];
    int proofs, within, on_gpu;
    double ratio; /* the sum of log(gain / the middle of what was predicted) */
} record;

static record *find_record(record *records, size_t *count, const char *rule)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(records[i].rule, rule) == 0)
            return &records[i];
    if (*count == MOST_REMEDIES)
        return NULL;
    records[*count] = (record){.proofs = 0};
    snprintf(records[*count].rule, sizeof records->rule, "%.60s", rule);
    return &records[(*count)++];
}

static void add_proof(record *r, const proof *p)
{
    const double rounding = 1.005; /* of the report's figures */
    r->proofs++;
    r->on_gpu += strcmp(p->by, "gpu") == 0;
    r->within += p->gain * rounding >= p->low && (p->is_open || p->gain <= p->high * rounding);
    r->ratio += log(p->gain / sqrt(p->low * p->high));
}

static size_t read_records(FILE *file, record *records)
{
    char line[LINE_BYTES];
    size_t count = 0;
    while (fgets(line, sizeof line, file)) {
        proof p;
        record *r = read_proof(line, &p) ? find_record(records, &count, p.rule) : NULL;
        if (r)
            add_proof(r, &p);
    }
    return count;
}

void ifl_cli_print_record(FILE *out)
{
    char path[PATH_BYTES];
    record records[MOST_REMEDIES];
    FILE *file = ledger_path(path, sizeof path) ? fopen(path, "re") : NULL;
    const size_t count = file ? read_records(file, records) : 0;
    if (file)
        fclose(file);
    if (!count) {
        ifl_cli_print_wrapped(
            "Nothing is proven yet: 'inflight prove BEFORE.json AFTER.json' records the gain of a "
            "remedy.",
            0, 0, out);
        return;
    }
    fputs("| remedy | proofs | measured on a GPU | within the predicted range | gain over the "
          "middle of the range |\n|---|---|---|---|---|\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "| %s | %d | %d | %d | %.2f |\n", records[i].rule, records[i].proofs,
                records[i].on_gpu, records[i].within, exp(records[i].ratio / records[i].proofs));
}

/* ---- reports --------------------------------------------------------------------------------- */

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* By its mangled name, its signature, or a regular expression that is found in it. */
static bool is_of_kernel(const json_t *launch, const char *kernel)
{
    static const char start[] = "regex:";
    const char *signature = text_of(launch, "signature");
    regex_t expression;
    if (strncmp(kernel, start, strlen(start)) != 0)
        return strcmp(text_of(launch, "kernel"), kernel) == 0 || strcmp(signature, kernel) == 0 ||
               (strncmp(signature, kernel, strlen(kernel)) == 0 &&
                strchr("<(", signature[strlen(kernel)]));
    if (regcomp(&expression, kernel + strlen(start), REG_EXTENDED | REG_NOSUB) != 0)
        return false;
    const bool is_found = regexec(&expression, signature, 0, NULL, 0) == 0;
    regfree(&expression);
    return is_found;
}

/* The last launch of that kernel, or of all where none is named: a report of `--on gpu` has the
 * engine's before the GPU's. */
static const json_t *find_launch(const json_t *report, const char *kernel, bool on_gpu)
{
    const json_t *launches = json_object_get(report, "launches");
    for (size_t i = json_array_size(launches); i-- > 0;) {
        const json_t *launch = json_array_get(launches, i);
        const bool is_gpu = strcmp(text_of(launch, "backend"), "gpu") == 0;
        if (is_gpu == on_gpu && (!kernel || is_of_kernel(launch, kernel)))
            return launch;
    }
    return NULL;
}

/* The advice of that rule on that GPU; the first, which gains most, where none is named. */
static const json_t *find_advice(const json_t *report, const request *r)
{
    size_t i, j;
    json_t *launch, *advice;
    json_array_foreach(json_object_get(report, "launches"), i, launch)
    {
        if (r->kernel && !is_of_kernel(launch, r->kernel))
            continue;
        json_array_foreach(
            json_object_get(launch, "advice"), j,
            advice) if ((!r->rule || strcmp(text_of(advice, "rule"), r->rule) == 0) &&
                        (!r->gpu || strcmp(text_of(advice, "gpu"), r->gpu) == 0)) return advice;
    }
    return NULL;
}

/* "wide_loads, coarsening": those texts of the advice under `key`, each once, as far as they fit. */
static void list_advice(const json_t *report, const char *key, char *to, size_t room)
{
    size_t i, j, used = 0;
    json_t *launch, *advice;
    to[0] = '\0';
    json_array_foreach(json_object_get(report, "launches"), i, launch)
    {
        json_array_foreach(json_object_get(launch, "advice"), j, advice)
        {
            const char *text = text_of(advice, key);
            const char *found = strstr(to, text);
            const bool is_told =
                found && (found == to || found[-1] == ' ') && strchr(",", found[strlen(text)]);
            if (!is_told && used + strlen(text) + 3 < room)
                used += (size_t)snprintf(to + used, room - used, "%s%s", used ? ", " : "", text);
        }
    }
}

/* What was asked for, and what there is of it. */
static ifl_status fail_without_advice(const json_t *report, const request *r, ifl_error *error)
{
    const request any_rule = {.gpu = r->gpu, .kernel = r->kernel},
                  any_gpu = {.rule = r->rule, .kernel = r->kernel};
    char list[400];
    list_advice(report, "rule", list, sizeof list);
    if (!*list)
        return ifl_cli_error(error, IFL_BAD_INPUT, "the report before has no advice");
    if (r->kernel && !find_launch(report, r->kernel, false))
        return ifl_cli_error(error, IFL_USAGE, "the report before has no kernel '%.200s'",
                             r->kernel);
    if (r->rule && find_advice(report, &any_rule))
        return ifl_cli_error(error, IFL_USAGE,
                             "the report before has no advice '%.60s'; it has: %s", r->rule, list);
    list_advice(report, "gpu", list, sizeof list);
    if (r->gpu && find_advice(report, &any_gpu))
        return ifl_cli_error(error, IFL_USAGE,
                             "the report before has no advice for GPU '%.100s'; it has some for: "
                             "%s",
                             r->gpu, list);
    return ifl_cli_error(error, IFL_USAGE, "the report before has no such advice");
}

/* Median of timed runs on a GPU; 0 where there are none. */
static double measured_us(const json_t *report, const char *kernel)
{
    const json_t *launch = find_launch(report, kernel, true);
    return 1e6 * json_number_value(json_object_get(json_object_get(launch, "timing"), "median_s"));
}

static double modelled_us(const json_t *report, const char *kernel, const char *gpu)
{
    size_t i;
    json_t *model;
    json_array_foreach(json_object_get(find_launch(report, kernel, false), "models"), i,
                       model) if (strcmp(text_of(model, "gpu"), gpu) ==
                                  0) return json_number_value(json_object_get(model, "time_us"));
    return 0;
}

/* In our words, not those of the library that reads JSON. */
static const char *what_is_wrong(const json_error_t *problem)
{
    const enum json_error_code code = json_error_code(problem);
    return code == json_error_cannot_open_file         ? "it cannot be opened"
           : code == json_error_premature_end_of_input ? "it ends before its JSON does"
                                                       : "it is not JSON";
}

static ifl_status load(const char *path, json_t **out, ifl_error *error)
{
    json_error_t problem;
    *out = json_load_file(path, 0, &problem);
    if (!*out)
        return ifl_cli_error(error, IFL_BAD_INPUT, "'%.200s' is not a report of inflight: %s", path,
                             what_is_wrong(&problem));
    if (strcmp(text_of(*out, "schema"), "inflight/1") != 0)
        return ifl_cli_error(error, IFL_BAD_INPUT,
                             "'%.200s' is not a report of `inflight analyze --json`", path);
    return IFL_OK;
}

/* ---- a proof --------------------------------------------------------------------------------- */

/* Times of a GPU where both reports have them, else the model's. */
static ifl_status find_gain(const json_t *before, const json_t *after, const request *r, proof *p,
                            ifl_error *error)
{
    double then = measured_us(before, r->kernel), now = measured_us(after, NULL);
    p->by = "gpu";
    if (!(then > 0 && now > 0)) {
        then = modelled_us(before, r->kernel, p->gpu);
        now = modelled_us(after, NULL, p->gpu);
        p->by = "model";
    }
    if (!(then > 0 && now > 0))
        return ifl_cli_error(error, IFL_BAD_INPUT,
                             "the reports have no time to compare: neither a measured one, "
                             "nor a predicted one for %s",
                             p->gpu);
    p->gain = then / now;
    return IFL_OK;
}

static ifl_status make_proof(const json_t *before, const json_t *after, const request *r, proof *p,
                             ifl_error *error)
{
    const json_t *advice = find_advice(before, r);
    if (!advice)
        return fail_without_advice(before, r, error);
    *p = (proof){.kernel = text_of(find_launch(before, r->kernel, false), "kernel"),
                 .gpu = text_of(advice, "gpu"),
                 .rule = text_of(advice, "rule"),
                 .low = json_number_value(json_object_get(advice, "gain_low")),
                 .high = json_number_value(json_object_get(advice, "gain_high")),
                 .is_open = json_is_true(json_object_get(advice, "gain_is_open"))};
    return find_gain(before, after, r, p, error);
}

static void print_proof(const proof *p)
{
    const bool is_more = p->gain > p->high * 1.005 && !p->is_open;
    const char *verdict = p->gain < p->low * 0.995 ? "less than predicted"
                          : is_more                ? "more than predicted"
                                                   : "as predicted";
    printf(
        "%s on %s: the predicted speedup of %s is %.3g to %.3g%s; the actual speedup is %.3g %s: "
        "%s\n",
        p->kernel, p->gpu, p->rule, p->low, p->high, p->is_open ? OPEN : "", p->gain,
        strcmp(p->by, "gpu") == 0 ? "as measured" : "by the model", verdict);
}

static ifl_status prove(const request *r, char **files, ifl_error *error)
{
    json_t *before = NULL, *after = NULL;
    char path[PATH_BYTES];
    proof p = {0};
    ifl_status status = load(files[0], &before, error);
    if (status == IFL_OK)
        status = load(files[1], &after, error);
    if (status == IFL_OK)
        status = make_proof(before, after, r, &p, error);
    if (status == IFL_OK)
        print_proof(&p);
    if (status == IFL_OK && !r->dry && (r->ledger || ledger_path(path, sizeof path)))
        status = keep(r->ledger ? r->ledger : path, &p, error);
    json_decref(before);
    json_decref(after);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

TEXT_OPTION(request, rule)
TEXT_OPTION(request, gpu)
TEXT_OPTION(request, ledger)
FLAG_OPTION(request, dry)

static ifl_status set_kernel(void *user, const char *value, ifl_error *error)
{
    ((request *)user)->kernel = value;
    return ifl_cli_check_kernel(value, error);
}

static const ifl_cli_option options[] = {
    {IFL_CLI_OPTION_rule, NULL, set_rule},
    {IFL_CLI_OPTION_gpu, "the gain on it is taken (the first one with this remedy)", set_gpu},
    {IFL_CLI_OPTION_kernel, "of BEFORE.json (the first one)", set_kernel},
    {IFL_CLI_OPTION_ledger, NULL, set_ledger},
    {IFL_CLI_OPTION_dry_run, NULL, set_dry},
};

static int run(int word_count, char **words)
{
    request r = {0};
    ifl_error error = {0};
    bool help = false;
    int first = 0;
    ifl_status status = ifl_cli_parse(&ifl_cli_prove, word_count, words, &r, &first, &help, &error);
    if (status == IFL_OK && help)
        return 0;
    if (status == IFL_OK && word_count - first != 2)
        status = ifl_cli_error(&error, IFL_USAGE,
                               "two reports are needed: inflight prove BEFORE.json AFTER.json\n"
                               "'inflight help prove' says more");
    if (status == IFL_OK)
        status = prove(&r, words + first, &error);
    return status == IFL_OK ? 0 : ifl_cli_fail(&error);
}

const ifl_cli_command ifl_cli_prove = {
    .name = "prove",
    .usage = {"BEFORE.json AFTER.json [OPTION]...", NULL},
    .summary = "record the predicted and the actual gain of a remedy",
    .text = "The reports are those of 'inflight analyze --json': one of the kernel before a remedy "
            "was applied, "
            "with the advice, and one after. Times measured on a GPU count if both reports have "
            "them ('--on gpu'), "
            "otherwise the predicted times.\n"
            "'inflight advice --record' prints the record of each remedy.",
    .examples = {"inflight prove before.json after.json --rule wide_loads", NULL},
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
