/* SPDX-License-Identifier: Apache-2.0
 * Looks for folders CASE/ that hold a CASE.lab. */
#include "lab_find.h"
#include "terminal.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_file(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* The folder of this program, without its last component. */
static bool program_folder(char *to, size_t size)
{
    const ssize_t length = readlink("/proc/self/exe", to, size - 1);
    if (length <= 0 || (size_t)length >= size - 1)
        return false;
    to[length] = '\0';
    char *slash = strrchr(to, '/');
    if (slash)
        *slash = '\0';
    return slash != NULL;
}

static bool lab_folder(char *to, size_t size)
{
    static const char *const places[] = {"../share/inflight/lab", "../lab"};
    char program[MOST_PATH];
    const char *told = getenv("INFLIGHT_LAB");
    if (told && *told)
        return snprintf(to, size, "%s", told) < (int)size;
    if (!program_folder(program, sizeof program))
        return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (snprintf(to, size, "%s/%s", program, places[i]) < (int)size && is_folder(to))
            return true;
    return false;
}

static ifl_status add(ifl_cli_cases *cases, const char *path, ifl_error *error)
{
    char **grown = realloc(cases->paths, (cases->count + 1) * sizeof *grown);
    if (grown)
        cases->paths = grown;
    if (!grown || !(grown[cases->count] = strdup(path)))
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    cases->count++;
    return IFL_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* "axpy" of ".../axpy/axpy.lab". */
static ifl_status name_all(ifl_cli_cases *cases, ifl_error *error)
{
    cases->names = calloc(cases->count + 1, sizeof *cases->names);
    bool good = cases->names != NULL;
    for (size_t i = 0; good && i < cases->count; i++) {
        const char *base = strrchr(cases->paths[i], '/') + 1;
        cases->names[i] = strndup(base, strlen(base) - strlen(".lab"));
        good = cases->names[i] != NULL;
    }
    return good ? IFL_OK : ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
}

ifl_status ifl_cli_cases_find(ifl_cli_cases *cases, ifl_error *error)
{
    char named[MOST_PATH], folder[PATH_MAX], path[PATH_MAX + 600];
    *cases = (ifl_cli_cases){0};
    if (!lab_folder(named, sizeof named))
        return ifl_cli_error(
            error, IFL_NO_FILE,
            "the lab's cases are not found; INFLIGHT_LAB=FOLDER names their place");
    DIR *open = realpath(named, folder) ? opendir(folder) : NULL;
    if (!open)
        return ifl_cli_error(error, IFL_NO_FILE,
                             "cannot read the folder '%.300s' of the lab's cases", named);
    ifl_status status = IFL_OK;
    for (struct dirent *entry; status == IFL_OK && (entry = readdir(open));) {
        snprintf(path, sizeof path, "%s/%s/%s.lab", folder, entry->d_name, entry->d_name);
        if (entry->d_name[0] != '.' && is_file(path))
            status = add(cases, path, error);
    }
    closedir(open);
    if (cases->count)
        qsort(cases->paths, cases->count, sizeof *cases->paths, by_name);
    return status == IFL_OK ? name_all(cases, error) : status;
}

const char *ifl_cli_cases_path(const ifl_cli_cases *cases, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < cases->count; i++)
        if (strcmp(cases->names[i], name) == 0)
            return cases->paths[i];
    return length > 4 && strcmp(name + length - 4, ".lab") == 0 ? name : NULL;
}

void ifl_cli_cases_free(ifl_cli_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        free(cases->paths[i]);
        if (cases->names)
            free(cases->names[i]);
    }
    free(cases->paths);
    free(cases->names);
    *cases = (ifl_cli_cases){0};
}
