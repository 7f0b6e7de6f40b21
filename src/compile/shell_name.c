/* SPDX-License-Identifier: Apache-2.0
 * See shell_name.h. The stand-in includes the source through a symbolic link to its folder, so that
 * the headers beside the source are found and the compiler never sees the folder's name. */
#include "compile/shell_name.h"

#include "base/file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINK "source"
#define STAND_IN "input.cu"

/* A name that an #include directive and a .file directive of PTX can hold: neither knows
 * escapes. */
static bool is_nameable(const char *text)
{
    while (*text && *text != '"' && *text != '\\' && (unsigned char)*text >= ' ' && *text != 0x7f)
        text++;
    return !*text;
}

static ifl_status fail_length(ifl_error *error)
{
    return ifl_fail(error, IFL_NO_FILE, "the path of the .cu file is too long");
}

/* The absolute folder of `path`; symbolic links stay, since headers are looked for where the path
 * says. */
static ifl_status find_folder(const char *path, char folder[IFL_PATH_BYTES], ifl_error *error)
{
    const char *slash = strrchr(path, '/');
    const int length = slash ? (int)(slash - path) : 0;
    char here[IFL_PATH_BYTES] = "";
    if (path[0] != '/' && !getcwd(here, sizeof here))
        return ifl_fail_file(error, "find", ".");
    const int printed = snprintf(folder, IFL_PATH_BYTES, "%s%s%.*s", here,
                                 slash && here[0] ? "/" : "", length, path);
    return printed < IFL_PATH_BYTES ? IFL_OK : fail_length(error);
}

static ifl_status stand_in(const char *base, const ifl_scratch *scratch, ifl_shell_name *name,
                           ifl_error *error)
{
    char text[IFL_PATH_BYTES + 32];
    if (!is_nameable(base) || !is_nameable(name->folder))
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "no compiler can be given '%.200s': a path with quotes, backslashes or "
                        "control characters "
                        "cannot stand in source text; rename it",
                        base);
    if (!ifl_scratch_path(scratch, LINK, name->linked))
        return fail_length(error);
    if (symlink(name->folder[0] ? name->folder : "/", name->linked) != 0)
        return ifl_fail_file(error, "make the link", name->linked);
    snprintf(text, sizeof text, "#include \"" LINK "/%s\"\n", base);
    snprintf(name->path, sizeof name->path, STAND_IN);
    name->is_stand_in = true;
    return ifl_scratch_write(scratch, STAND_IN, text, error);
}

ifl_status ifl_shell_name_make(const char *path, const ifl_scratch *scratch, ifl_shell_name *out,
                               ifl_error *error)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    *out = (ifl_shell_name){0};
    const ifl_status status = find_folder(path, out->folder, error);
    if (status != IFL_OK)
        return status;
    if (!ifl_shell_is_plain(path) || !ifl_shell_is_plain(out->folder))
        return stand_in(base, scratch, out, error);
    snprintf(out->path, sizeof out->path, "%s", path);
    return IFL_OK;
}

static size_t count(const char *text, const char *of)
{
    size_t found = 0;
    for (const char *at = text; (at = strstr(at, of)); at += strlen(of))
        found++;
    return found;
}

/* `from` becomes `to` everywhere; `out` has the room. */
static void replace(char *out, const char *text, const char *from, const char *to)
{
    for (const char *next; (next = strstr(text, from)); text = next + strlen(from)) {
        memcpy(out, text, (size_t)(next - text));
        out += next - text;
        out = stpcpy(out, to);
    }
    strcpy(out, text);
}

ifl_status ifl_shell_name_restore(const ifl_shell_name *name, char **text, size_t *bytes,
                                  ifl_error *error)
{
    if (!name->is_stand_in)
        return IFL_OK;
    const size_t room = *bytes + count(*text, name->linked) * strlen(name->folder) + 1;
    char *restored = malloc(room);
    if (!restored)
        return ifl_fail_memory(error, room);
    replace(restored, *text, name->linked, name->folder);
    free(*text);
    *text = restored;
    *bytes = strlen(restored);
    return IFL_OK;
}
