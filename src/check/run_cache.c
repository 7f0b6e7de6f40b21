/* SPDX-License-Identifier: Apache-2.0
 * Outcomes of runs, kept under a key of what they depend on: FOLDER/ab/cdef....json. An entry also
 * names the source files whose lines its report quotes, with their digests; if one of them changed,
 * the run is made again. A file that is no entry is ignored, so that the folder may be shared and
 * deleted at any time. */
#include "base/figure.h"
#include "base/file.h"
#include "check/run_job.h"
#include "check/subject.h"

#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static bool entry_path(const char *folder, const char *key, char path[PATH_BYTES])
{
    return snprintf(path, PATH_BYTES, "%s/%.2s/%s.json", folder, key, key + 2) < PATH_BYTES;
}

/* ---- source files ---------------------------------------------------------------------------- */

/* A name of the report as seen from the folder of the budget, and from that of the module. */
static bool add_source(json_t *sources, const ifl_run_job *job, const char *path,
                       ifl_digests *digests)
{
    char digest[IFL_SHA256_TEXT], seen[PATH_BYTES];
    return json_object_get(sources, path) ||
           (ifl_budget_join(job->budget, path, seen, sizeof seen) &&
            ifl_digests_find(digests, seen, digest) &&
            json_object_set_new(sources, path, json_string(digest)) == 0);
}

static bool add_line(json_t *sources, const ifl_run_job *job, const char *module, const char *file,
                     ifl_digests *digests)
{
    char beside[PATH_BYTES];
    const char *slash = strrchr(module, '/');
    if (!*file)
        return true;
    bool is_added = add_source(sources, job, file, digests);
    if (is_added && slash && file[0] != '/') {
        snprintf(beside, sizeof beside, "%.*s/%.2000s",
                 (int)(slash - module < 2000 ? slash - module : 2000), module, file);
        is_added = add_source(sources, job, beside, digests);
    }
    return is_added;
}

static json_t *list_sources(const ifl_run_job *job, ifl_digests *digests)
{
    size_t i, j;
    json_t *launch, *line, *sources = json_object();
    json_array_foreach(json_object_get(job->report, "launches"), i, launch) json_array_foreach(
        json_object_get(launch, "lines"), j,
        line) if (!sources || !add_line(sources, job, ifl_json_text(launch, "file"),
                                        ifl_json_text(line, "file"), digests)) goto no_memory;
    return sources;
no_memory:
    json_decref(sources);
    return NULL;
}

static bool sources_are_same(const ifl_run_job *job, json_t *sources, ifl_digests *digests)
{
    const char *path;
    json_t *kept;
    if (!json_is_object(sources))
        return false;
    json_object_foreach(sources, path, kept)
    {
        char digest[IFL_SHA256_TEXT], seen[PATH_BYTES];
        if (!ifl_budget_join(job->budget, path, seen, sizeof seen) ||
            !ifl_digests_find(digests, seen, digest) || !json_is_string(kept) ||
            strcmp(json_string_value(kept), digest) != 0)
            return false;
    }
    return true;
}

/* ---- entries --------------------------------------------------------------------------------- */

bool ifl_run_cache_read(ifl_run_job *job, const ifl_run_inputs *inputs, const char *folder,
                        ifl_digests *digests)
{
    char path[PATH_BYTES];
    if (!inputs->is_known || !entry_path(folder, inputs->key, path))
        return false;
    json_t *entry = json_load_file(path, 0, NULL);
    json_t *exit_status = json_object_get(entry, "exit"),
           *report = json_object_get(entry, "report");
    const char *output = json_string_value(json_object_get(entry, "output"));
    job->is_cached = json_is_integer(exit_status) && output &&
                     (json_is_object(report) || json_is_null(report)) &&
                     sources_are_same(job, json_object_get(entry, "sources"), digests) &&
                     (job->output = strdup(output));
    if (job->is_cached) {
        job->exit_status = (int)json_integer_value(exit_status);
        job->report = json_is_object(report) ? json_incref(report) : NULL;
    }
    json_decref(entry);
    return job->is_cached;
}

static void write_entry(const char *path, const json_t *entry)
{
    ifl_file file;
    ifl_error ignored;
    if (!ifl_file_make_folders(path) || ifl_file_create(&file, path, &ignored) != IFL_OK)
        return;
    if (json_dumpf(entry, file.stream, JSON_COMPACT) == 0)
        ifl_file_commit(&file, &ignored);
    else
        ifl_file_abandon(&file);
}

void ifl_run_cache_write(const ifl_run_job *job, const ifl_run_inputs *inputs, const char *folder,
                         ifl_digests *digests)
{
    char path[PATH_BYTES];
    if (!inputs->is_known || !entry_path(folder, inputs->key, path))
        return;
    json_t *report = job->report ? json_incref(job->report) : json_null();
    json_t *sources = list_sources(job, digests);
    json_t *entry = sources ? json_pack("{s:i, s:s, s:O, s:O}", "exit", job->exit_status, "output",
                                        job->output, "sources", sources, "report", report)
                            : NULL;
    if (entry)
        write_entry(path, entry);
    json_decref(entry);
    json_decref(sources);
    json_decref(report);
}
