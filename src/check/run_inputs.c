/* SPDX-License-Identifier: Apache-2.0
 * What a run reads, as one key. A launch of PTX or machine code reads its files and nothing else. A
 * program, a case of the lab and a .cu file, whose headers only a compiler knows, may read
 * anything: they have a key where the budget's `input` lines name what they read. */
#include "base/file.h"
#include "base/keyfile.h"
#include "check/run_job.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 1 << 30, PATH_BYTES = 4096 };

/* ---- digests --------------------------------------------------------------------------------- */

void ifl_digests_start(ifl_digests *digests)
{
    *digests = (ifl_digests){.lock = PTHREAD_MUTEX_INITIALIZER};
}

void ifl_digests_free(ifl_digests *digests)
{
    pthread_mutex_destroy(&digests->lock);
    ifl_vec_free(&digests->known);
    ifl_arena_free(&digests->arena);
}

static void digest_file(const char *path, char text[IFL_SHA256_TEXT])
{
    char *bytes;
    size_t count;
    ifl_sha256 hash;
    ifl_error ignored;
    if (ifl_file_read(path, MAX_FILE_BYTES, &bytes, &count, &ignored) != IFL_OK) {
        strcpy(text, "-");
        return;
    }
    ifl_sha256_start(&hash);
    ifl_sha256_add(&hash, bytes, count);
    ifl_sha256_end(&hash, text);
    free(bytes);
}

static bool find_known(ifl_digests *digests, const char *path, char text[IFL_SHA256_TEXT])
{
    for (size_t i = 0; i < digests->known.count; i++)
        if (strcmp(digests->known.at[i].path, path) == 0) {
            memcpy(text, digests->known.at[i].text, IFL_SHA256_TEXT);
            return true;
        }
    return false;
}

bool ifl_digests_find(ifl_digests *digests, const char *path, char text[IFL_SHA256_TEXT])
{
    pthread_mutex_lock(&digests->lock);
    bool is_found = find_known(digests, path, text);
    pthread_mutex_unlock(&digests->lock);
    if (is_found)
        return true;
    ifl_digest made;
    digest_file(path, made.text);
    pthread_mutex_lock(&digests->lock);
    made.path = ifl_arena_text(&digests->arena, path, strlen(path));
    is_found = made.path && ifl_vec_push(&digests->known, made);
    pthread_mutex_unlock(&digests->lock);
    memcpy(text, made.text, IFL_SHA256_TEXT);
    return is_found;
}

/* ---- files of a run -------------------------------------------------------------------------- */

typedef struct collector {
    const ifl_run_job *job;
    ifl_digests *digests;
    ifl_sha256 hash;
    bool is_known, has_memory;
} collector;

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

static void add_digest(collector *c, const char *path)
{
    char digest[IFL_SHA256_TEXT];
    c->has_memory &= ifl_digests_find(c->digests, path, digest);
    ifl_sha256_add_text(&c->hash, digest);
}

/* A module, and the machine code that may stand beside PTX. */
static void add_module(collector *c, const char *path)
{
    char beside[PATH_BYTES];
    add_digest(c, path);
    if (ends_with(path, ".cu"))
        c->is_known &= c->job->budget->inputs.count > 0;
    if (!ends_with(path, ".ptx"))
        return;
    snprintf(beside, sizeof beside, "%.*s.cubin",
             (int)(strlen(path) - 4 < PATH_BYTES - 16 ? strlen(path) - 4 : PATH_BYTES - 16), path);
    add_digest(c, beside);
}

/* A file that a launch file names, seen from its own folder. */
static void add_named(collector *c, const char *launch, ifl_span name)
{
    char path[PATH_BYTES];
    const char *slash = strrchr(launch, '/');
    const int folder = slash && name.at[0] != '/' ? (int)(slash - launch) + 1 : 0;
    snprintf(path, sizeof path, "%.*s%.*s", folder, launch,
             (int)(name.length < PATH_BYTES / 2 ? name.length : PATH_BYTES / 2), name.at);
    add_module(c, path);
}

/* "f32x1000=@in.npy" */
static void add_argument(collector *c, const char *launch, ifl_span value)
{
    const char *at = memchr(value.at, '@', value.length);
    if (at)
        add_named(c, launch, (ifl_span){at + 1, value.length - (size_t)(at + 1 - value.at)});
}

static void add_launch_file(collector *c, const char *path)
{
    char *text;
    size_t bytes;
    bool found = true;
    ifl_error ignored;
    ifl_keyfile reader;
    ifl_keyfile_entry entry;
    if (ifl_file_read(path, MAX_FILE_BYTES, &text, &bytes, &ignored) != IFL_OK)
        return;
    ifl_keyfile_start(&reader, path, text, bytes);
    while (found && ifl_keyfile_next(&reader, &entry, &found, &ignored) == IFL_OK && found) {
        if (ifl_span_is(entry.key, "file") || ifl_span_is(entry.key, "machine") ||
            ifl_span_is(entry.key, "gpu"))
            add_named(c, path, entry.value);
        else if (ifl_span_is(entry.key, "arg"))
            add_argument(c, path, entry.value);
    }
    free(text);
}

/* A word that is a file, or has one behind '@' or '=', is an input. */
static void add_word(collector *c, const char *word)
{
    struct stat file;
    char path[PATH_BYTES];
    const char *at = strrchr(word, '@');
    const char *name = at                                    ? at + 1
                       : word[0] == '-' && strchr(word, '=') ? strchr(word, '=') + 1
                                                             : word;
    ifl_sha256_add_text(&c->hash, word);
    if (!ifl_budget_join(c->job->budget, name, path, sizeof path) || stat(path, &file) != 0 ||
        !S_ISREG(file.st_mode))
        return;
    add_module(c, path);
    if (ends_with(path, ".launch"))
        add_launch_file(c, path);
}

static void add_shared(collector *c, const ifl_check_options *options)
{
    const ifl_budget *budget = c->job->budget;
    ifl_sha256_add_text(&c->hash, "inflight check 1");
    ifl_sha256_add_text(&c->hash, ifl_budget_needs_listing(budget) ? "listing" : "");
    add_digest(c, options->program);
    if (options->libraries && strcmp(c->job->run->words[0], "run") == 0)
        add_digest(c, options->libraries);
    for (size_t i = 0; i < budget->gpus.count && !c->job->gpu; i++)
        add_word(c, budget->gpus.at[i]);
    if (c->job->gpu)
        add_word(c, c->job->gpu);
    for (size_t i = 0; i < budget->inputs.count; i++)
        add_word(c, budget->inputs.at[i]);
}

bool ifl_run_inputs_find(ifl_run_inputs *inputs, const ifl_run_job *job,
                         const ifl_check_options *options, ifl_digests *digests)
{
    const char *command = job->run->words[0];
    collector c = {.job = job, .digests = digests, .has_memory = true};
    c.is_known = job->budget->inputs.count || strcmp(command, "analyze") == 0 ||
                 strcmp(command, "sass") == 0;
    ifl_sha256_start(&c.hash);
    add_shared(&c, options);
    for (size_t i = 0; i < job->run->count; i++)
        add_word(&c, job->run->words[i]);
    inputs->is_known = c.is_known;
    ifl_sha256_end(&c.hash, inputs->key);
    return c.has_memory;
}
