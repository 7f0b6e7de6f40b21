/* SPDX-License-Identifier: Apache-2.0
 * The library that `inflight run` has the dynamic linker ask about every object (LD_AUDIT;
 * rtld-audit(7)), in the program and in its children. It answers for CUDA's libraries, wherever a
 * program finds them, with ours, and leads the calls of a runtime that is linked into an object to
 * ours before anything of the object runs, and libc's calls that look for the driver's files. It
 * lives in a namespace of its own, apart from the program's libraries, and knows nothing of the
 * engine. */
#include "audit/device_file.h"
#include "audit/lead.h"
#include "inflight.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- our libraries --------------------------------------------------------------------------- */

static const struct {
    int major;                 /* of the CUDA runtime; 0: another library */
    const char *begins, *ends; /* the names that programs know it by */
    const char *file;
} ours[] = {
    {11, "libcudart", ".so.11", "libcudart.so.11.0"},
    {12, "libcudart", ".so.12", "libcudart.so.12"},
    {13, "libcudart", ".so.13", "libcudart.so.13"},
    {0, "libcuda.so", "", "libcuda.so.1"},
    {0, "libnvidia-ml.so", "", "libnvidia-ml.so.1"},
    {0, "libcupti", ".so.12", "libcupti.so.12"},
    {0, "libcupti", ".so.13", "libcupti.so.13"},
};
enum { OURS = sizeof ours / sizeof *ours };

static char paths[OURS][PATH_MAX]; /* "" until la_version */
static uintptr_t maps[OURS];       /* of those that the program has loaded; 0: not */
static bool has_loaded;            /* one of them, at some time */

static bool is_name_of(const char *name, size_t i)
{
    const char *end = strstr(name, ours[i].ends);
    const size_t length = strlen(ours[i].ends);
    return strncmp(name, ours[i].begins, strlen(ours[i].begins)) == 0 && end &&
           (!length || end[length] == '\0' || end[length] == '.');
}

/* OURS: none. */
static size_t ours_for(const char *name)
{
    const char *slash = strrchr(name, '/');
    size_t i = 0;
    while (i < OURS && !(paths[i][0] && is_name_of(slash ? slash + 1 : name, i)))
        i++;
    return i;
}

unsigned la_version(unsigned version)
{
    Dl_info own;
    const char *slash =
        dladdr((void *)la_version, &own) && own.dli_fname ? strrchr(own.dli_fname, '/') : NULL;
    for (size_t i = 0; i < OURS && slash; i++) {
        const int length = snprintf(paths[i], sizeof paths[i], "%.*s/%s",
                                    (int)(slash - own.dli_fname), own.dli_fname, ours[i].file);
        if (length < 0 || (size_t)length >= sizeof paths[i] || access(paths[i], R_OK) != 0)
            paths[i][0] = '\0';
    }
    return version < LAV_CURRENT ? version : LAV_CURRENT;
}

/* A library's own name, also as auditwheel writes it ("libcudart-1a2b3c4d.so.12"), and a link to
 * such a file. Who needs a version of its symbols names the file, and the linker ends the program
 * where it knows no object by that name. It adds to an object's names the one that was asked for
 * before this changed it if it loads the object now. Of one that is loaded it does so only for the
 * name that it looks for in a folder, so that this is changed there. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag)
{
    char real[PATH_MAX];
    (void)cookie;
    size_t found = ours_for(name);
    const char *slash = strrchr(name, '/');
    if (found == OURS && slash && strncmp(slash, "/libcudart.so", 13) == 0 && realpath(name, real))
        found = ours_for(real);
    const bool is_later = found < OURS && maps[found] && flag == LA_SER_ORIG && !slash;
    return (char *)(found < OURS && !is_later ? paths[found] : name);
}

/* ---- runtimes inside of objects -------------------------------------------------------------- */

static const char *runtime_of(int major)
{
    for (size_t i = 0; i < OURS; i++)
        if (ours[i].major == major && paths[i][0])
            return paths[i];
    return NULL;
}

/* OURS: it is none of them. */
static size_t which_of_ours(const char *path)
{
    size_t i = 0;
    while (i < OURS && strcmp(path, paths[i]) != 0)
        i++;
    return i;
}

/* What is not led asks the driver for tables that ours does not have; libcuda.so.1 then says what
 * it is. */
static void lead(const ifl_object_file *file, const char *path, uintptr_t base)
{
    ifl_own_runtime found;
    if (ifl_own_runtime_find(file, path, IFL_LEAD_BYTES, &found) != IFL_OWN_FOUND)
        return;
    const char *library = runtime_of(found.version / 1000);
    if (library && !ifl_lead_calls(file, &found, base, library))
        dprintf(STDERR_FILENO,
                "inflight: warning: the system does not allow changes to the code of '%s'\n", path);
    free(found.calls);
}

unsigned la_objopen(struct link_map *map, Lmid_t space, uintptr_t *cookie)
{
    const char *path = map->l_name && map->l_name[0] ? map->l_name : "/proc/self/exe";
    const size_t own = which_of_ours(path);
    ifl_object_file file;
    if (space == LM_ID_BASE && own < OURS) {
        maps[own] = *cookie;
        has_loaded = true;
    }
    if (space != LM_ID_BASE || own < OURS)
        return 0;
    if (ifl_object_open(path, &file)) {
        lead(&file, path, map->l_addr);
        ifl_object_close(&file);
    }
    /* Only of calls of the program's libc the linker tells (la_symbind64). */
    const char *slash = strrchr(path, '/');
    return strcmp(slash ? slash + 1 : path, "libc.so.6") == 0 ? LA_FLG_BINDTO : LA_FLG_BINDFROM;
}

uintptr_t la_symbind64(Elf64_Sym *symbol, unsigned index, uintptr_t *from, uintptr_t *in,
                       unsigned *flags, const char *name)
{
    (void)index, (void)from, (void)in, (void)flags;
    return ifl_device_file_call(name, symbol->st_value);
}

unsigned la_objclose(uintptr_t *cookie)
{
    for (size_t i = 0; i < OURS; i++)
        if (maps[i] == *cookie)
            maps[i] = 0;
    return 0;
}

/* ---- a program that has nothing to do with CUDA ---------------------------------------------- */

/* Its children may: theirs are reports of their own. */
__attribute__((destructor)) static void tell_if_useless(void)
{
    const char *started = getenv(IFL_RUN_PROCESS);
    if (!has_loaded && started && strtol(started, NULL, 10) == (long)getpid())
        dprintf(STDERR_FILENO, "inflight: %s did not load CUDA\n", program_invocation_short_name);
}
