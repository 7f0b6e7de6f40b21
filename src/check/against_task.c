/* SPDX-License-Identifier: Apache-2.0
 * See against_task.h. The first trial also finds which buffers are outputs, and whose contents
 * before do not matter. */
#include "check/against_task.h"

#include "base/figure.h"
#include "base/file.h"
#include "base/keyfile.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LAUNCH_BYTES = 1 << 20 };

/* ---- launch files ---------------------------------------------------------------------------- */

/* Where a key's value is kept; NULL for another one. */
static const char **find_key(ifl_launch_words *words, ifl_span key)
{
    const struct {
        const char *name, **value;
    } keys[] = {{"file", &words->file},   {"kernel", &words->kernel},   {"grid", &words->grid},
                {"block", &words->block}, {"cluster", &words->cluster}, {"shared", &words->shared},
                {"code", &words->code},   {"machine", &words->machine}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (ifl_span_is(key, keys[i].name))
            return keys[i].value;
    return NULL;
}

static ifl_status take_entry(ifl_arena *arena, ifl_launch_words *words, const ifl_keyfile *reader,
                             const ifl_keyfile_entry *entry, ifl_error *error)
{
    const char *value = ifl_arena_text(arena, entry->value.at, entry->value.length);
    const char **key = find_key(words, entry->key);
    const bool is_argument = ifl_span_is(entry->key, "arg");
    if (!value || (is_argument && !ifl_vec_push(&words->arguments, value)))
        return ifl_fail_memory(error, entry->value.length);
    if (is_argument || ifl_span_is(entry->key, "gpu")) /* the verdict has a GPU of its own */
        return IFL_OK;
    if (!key || *key || !*value)
        return ifl_keyfile_fail_key(reader, entry, error, "'%.*s' %s",
                                    (int)(entry->key.length < 40 ? entry->key.length : 40),
                                    entry->key.at,
                                    !key      ? "is not a key of launch files"
                                    : !*value ? "has no value"
                                              : "is there twice");
    *key = value;
    return IFL_OK;
}

static ifl_status read_entries(ifl_arena *arena, const char *text, size_t bytes,
                               ifl_launch_words *words, ifl_error *error)
{
    ifl_keyfile reader;
    ifl_keyfile_entry entry;
    bool found = true;
    ifl_status status = IFL_OK;
    ifl_keyfile_start(&reader, words->path, text, bytes);
    while (status == IFL_OK && found) {
        status = ifl_keyfile_next(&reader, &entry, &found, error);
        if (status == IFL_OK && found)
            status = take_entry(arena, words, &reader, &entry, error);
    }
    if (status == IFL_OK && !words->file)
        return ifl_fail(error, IFL_BAD_INPUT, "'%.200s' has no 'file = ' line", words->path);
    return status;
}

ifl_status ifl_launch_words_read(ifl_arena *arena, const char *path, ifl_file_reader *read,
                                 ifl_launch_words *out, ifl_error *error)
{
    char *text;
    size_t bytes;
    const char *slash = strrchr(path, '/');
    *out = (ifl_launch_words){.path = path};
    out->folder = slash ? ifl_arena_text(arena, path, (size_t)(slash - path)) : ".";
    if (!out->folder)
        return ifl_fail_memory(error, strlen(path));
    ifl_status status = read(path, MAX_LAUNCH_BYTES, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    status = read_entries(arena, text, bytes, out, error);
    free(text);
    return status;
}

const char *ifl_launch_words_path(ifl_arena *arena, const ifl_launch_words *words, const char *name)
{
    return name[0] == '/' ? name : ifl_arena_printf(arena, "%s/%s", words->folder, name);
}

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t bytes = strlen(text), more = strlen(end);
    return bytes > more && strcmp(text + bytes - more, end) == 0;
}

/* Whether it is to be run: a launch file is not, whatever its rights. */
static bool is_program(const char *path)
{
    struct stat about;
    return !ends_with(path, ".launch") && stat(path, &about) == 0 && S_ISREG(about.st_mode) &&
           access(path, X_OK) == 0;
}

/* "dir/name.launch" of "dir/name.so", "dir/name.py" or "dir/name". */
static const char *launch_beside(ifl_arena *arena, const char *reference)
{
    const char *slash = strrchr(reference, '/'), *dot = strrchr(reference, '.');
    const size_t length = dot && (!slash || dot > slash + 1) && dot > reference
                              ? (size_t)(dot - reference)
                              : strlen(reference);
    return ifl_arena_printf(arena, "%.*s.launch", (int)length, reference);
}

ifl_status ifl_task_read(const char *reference, uint64_t seed, const volatile int *stop,
                         ifl_task *out, ifl_error *error)
{
    const char *path = reference;
    *out = (ifl_task){.seed = seed, .stop = stop};
    if (ends_with(reference, ".so"))
        out->library = reference;
    else if (is_program(reference))
        out->program = reference;
    if (out->library || out->program)
        path = launch_beside(&out->arena, reference);
    ifl_status status =
        path ? ifl_launch_words_read(&out->arena, path, ifl_file_read, &out->words, error)
             : ifl_fail_memory(error, strlen(reference));
    for (size_t i = 0; i < out->words.arguments.count && status == IFL_OK; i++)
        if (starts_with(out->words.arguments.at[i], "struct:"))
            status =
                ifl_fail(error, IFL_UNSUPPORTED,
                         "'%.200s': a reference takes no structures with members (struct:)", path);
    for (size_t i = 0; i < out->words.arguments.count && status == IFL_OK; i++)
        if (!ifl_vec_push(&out->arguments, (ifl_task_argument){.text = out->words.arguments.at[i]}))
            status = ifl_fail_memory(error, sizeof(ifl_task_argument));
    if (status != IFL_OK)
        ifl_task_free(out);
    return status;
}

void ifl_task_free(ifl_task *task)
{
    for (size_t i = 0; i < task->arguments.count; i++) {
        free(task->arguments.at[i].before);
        free(task->arguments.at[i].after);
        task->arguments.at[i].before = task->arguments.at[i].after = NULL;
    }
    ifl_vec_free(&task->arguments);
    ifl_vec_free(&task->words.arguments);
    ifl_arena_free(&task->arena);
    *task = (ifl_task){0};
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* splitmix64 of Steele, Lea and Flood, for seeds that do not tell one from another. */
static uint32_t mix(uint64_t seed, int trial, size_t argument)
{
    uint64_t z = seed + 0x9e3779b97f4a7c15 * ((uint64_t)trial * 4096 + argument + 1);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return (uint32_t)(z >> 32 ^ z);
}

/* Random contents have another seed for each trial; an output's are random where they do not
 * matter. */
static const char *words_of(ifl_task *task, int trial, size_t index, bool is_fresh)
{
    const char *text = task->arguments.at[index].text, *fill = strchr(text, '=');
    const uint32_t seed = mix(task->seed, trial, index);
    if (!fill)
        return text;
    if (starts_with(fill, "=random") || starts_with(fill, "=permutation")) {
        /* "TYPExCOUNT=random:SEED:LIMIT" with another seed: limits stay. */
        const char *own = fill + strcspn(fill, ":");
        const char *limits = *own ? own + 1 + strcspn(own + 1, ":") : own;
        return ifl_arena_printf(&task->arena, "%.*s:%u%s", (int)(own - text), text, seed, limits);
    }
    if (is_fresh && (starts_with(fill, "=zero") || starts_with(fill, "=const")))
        return ifl_arena_printf(&task->arena, "%.*s=random:%u", (int)(fill - text), text, seed);
    return text;
}

static ifl_status set_one(ifl_launch *launch, const char *key, const char *value, ifl_error *error)
{
    return value ? ifl_launch_set(launch, key, value, error) : IFL_OK;
}

static ifl_status set_all(ifl_task *task, ifl_launch *launch, int trial, ifl_error *error)
{
    const ifl_launch_words *w = &task->words;
    const char *machine = w->machine ? ifl_launch_words_path(&task->arena, w, w->machine) : NULL;
    ifl_status status = set_one(launch, "grid", w->grid, error);
    status = status == IFL_OK ? set_one(launch, "block", w->block, error) : status;
    status = status == IFL_OK ? set_one(launch, "cluster", w->cluster, error) : status;
    status = status == IFL_OK ? set_one(launch, "shared", w->shared, error) : status;
    status = status == IFL_OK ? set_one(launch, "machine", machine, error) : status;
    status = status == IFL_OK ? set_one(launch, "code", w->code, error) : status;
    for (size_t i = 0; i < task->arguments.count && status == IFL_OK; i++) {
        const char *words = words_of(task, trial, i, task->arguments.at[i].is_fresh);
        status = words ? ifl_launch_set(launch, "arg", words, error) : ifl_fail_memory(error, 1);
    }
    return status;
}

/* Copies the contents of each argument to *before or *after. */
static ifl_status take_contents(ifl_task *task, ifl_launch *launch, bool is_after, ifl_error *error)
{
    for (size_t i = 0; i < task->arguments.count; i++) {
        ifl_task_argument *a = &task->arguments.at[i];
        ifl_launch_argument_info info;
        const ifl_status status = ifl_launch_argument_at(launch, i, &info, error);
        if (status != IFL_OK)
            return status;
        if (info.same != i)
            return ifl_fail(error, IFL_UNSUPPORTED,
                            "argument %zu of the reference is the buffer of another argument", i);
        void *copy = malloc(info.bytes ? info.bytes : 1);
        if (!copy)
            return ifl_fail_memory(error, info.bytes);
        memcpy(copy, info.data, info.bytes);
        a->is_buffer = info.is_buffer;
        a->bytes = info.bytes;
        a->type = info.type ? ifl_arena_text(&task->arena, info.type, strlen(info.type)) : "";
        void **to = is_after ? &a->after : &a->before;
        free(*to);
        *to = copy;
    }
    return IFL_OK;
}

static ifl_status save_inputs(const ifl_task *task, ifl_launch *launch, const char *folder,
                              ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; folder && i < task->arguments.count && status == IFL_OK; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%.4000s/in%zu.npy", folder, i);
        if (task->arguments.at[i].is_buffer)
            status = ifl_launch_save(launch, i, path, error);
    }
    return status;
}

/* ---- the reference --------------------------------------------------------------------------- */

typedef int reference_function(size_t count, void *const *arguments, const size_t *bytes);

static ifl_status call_library(ifl_task *task, ifl_launch *launch, ifl_error *error)
{
    const size_t count = task->arguments.count;
    void *library = dlopen(task->library, RTLD_NOW | RTLD_LOCAL);
    reference_function *function = NULL;
    if (library)
        *(void **)&function = dlsym(library, "inflight_reference");
    void **data = ifl_arena_alloc(&task->arena, (count + 1) * sizeof *data);
    size_t *bytes = ifl_arena_alloc(&task->arena, (count + 1) * sizeof *bytes);
    ifl_status status = data && bytes ? IFL_OK : ifl_fail_memory(error, count);
    if (status == IFL_OK && !function)
        status =
            ifl_fail(error, IFL_BAD_INPUT, "'%.200s' has no function inflight_reference: %.200s",
                     task->library, library ? "not found" : dlerror());
    for (size_t i = 0; i < count && status == IFL_OK; i++) {
        ifl_launch_argument_info info;
        status = ifl_launch_argument_at(launch, i, &info, error);
        data[i] = info.data;
        bytes[i] = info.bytes;
    }
    if (status == IFL_OK && function(count, data, bytes) != 0)
        status = ifl_fail(error, IFL_BAD_INPUT, "the reference of '%.200s' failed", task->library);
    if (library)
        dlclose(library);
    return status;
}

static ifl_status run_kernel(const ifl_task *task, ifl_launch *launch, ifl_error *error)
{
    ifl_profile *profile = NULL;
    const ifl_run_options options = {.stop = task->stop};
    ifl_status status = ifl_launch_run(launch, &options, &profile, error);
    ifl_profile_free(profile);
    return status == IFL_FINDING ? IFL_BAD_INPUT
                                 : status; /* the reference is at fault, not the candidate */
}

/* Arguments of a trial, before and after the reference; saved where there is a folder. */
static ifl_status run_reference(ifl_task *task, int trial, const char *folder, ifl_error *error)
{
    ifl_module *module = NULL;
    ifl_launch *launch = NULL;
    const char *file = ifl_launch_words_path(&task->arena, &task->words, task->words.file);
    ifl_status status =
        file ? ifl_module_open(file, NULL, &module, error) : ifl_fail_memory(error, 1);
    if (status == IFL_OK)
        status = ifl_launch_new(module, task->words.kernel, &launch, error);
    if (status == IFL_OK)
        status = set_all(task, launch, trial, error);
    if (status == IFL_OK)
        status = take_contents(task, launch, false, error);
    if (status == IFL_OK)
        status = save_inputs(task, launch, folder, error);
    if (status == IFL_OK)
        status = task->library   ? call_library(task, launch, error)
                 : task->program ? ifl_task_run_program(task, launch, error)
                                 : run_kernel(task, launch, error);
    if (status == IFL_OK)
        status = take_contents(task, launch, true, error);
    ifl_launch_free(launch);
    ifl_module_close(module);
    return status;
}

/* With other contents in its outputs the reference leaves the same: then a candidate must not
 * depend on them either. The first run's contents are in `plain`. */
static ifl_status find_fresh(ifl_task *task, void **plain, ifl_error *error)
{
    for (size_t i = 0; i < task->arguments.count; i++) {
        ifl_task_argument *a = &task->arguments.at[i];
        a->is_output = a->is_buffer && memcmp(a->before, a->after, a->bytes) != 0;
        a->is_fresh = a->is_output;
        plain[i] = a->after;
        a->after = NULL;
    }
    const ifl_status status = run_reference(task, 0, NULL, error);
    for (size_t i = 0; i < task->arguments.count; i++) {
        ifl_task_argument *a = &task->arguments.at[i];
        a->is_fresh = status == IFL_OK && a->is_fresh && memcmp(plain[i], a->after, a->bytes) == 0;
        free(plain[i]);
    }
    return status;
}

static ifl_status find_outputs(ifl_task *task, ifl_error *error)
{
    void **plain = ifl_arena_alloc(&task->arena, (task->arguments.count + 1) * sizeof *plain);
    const ifl_status status =
        plain ? run_reference(task, 0, NULL, error) : ifl_fail_memory(error, 1);
    return status == IFL_OK ? find_fresh(task, plain, error) : status;
}

ifl_status ifl_task_prepare(ifl_task *task, int trial, const char *folder, ifl_error *error)
{
    const ifl_status status = trial == 0 ? find_outputs(task, error) : IFL_OK;
    return status == IFL_OK ? run_reference(task, trial, folder, error) : status;
}
