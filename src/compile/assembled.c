/* SPDX-License-Identifier: Apache-2.0
 * See assembled.h. Knows files, not what is in them. */
#include "compile/assembled.h"

#include "base/file.h"

#include <stdlib.h>

enum { PATH_BYTES = 4096, MAX_CUBIN_BYTES = 1 << 28 };

static bool entry_path(const char *key, char path[PATH_BYTES])
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const bool has_cache = cache && cache[0] == '/';
    if (!has_cache && (!home || home[0] != '/'))
        return false;
    const int printed =
        snprintf(path, PATH_BYTES, "%s%s/inflight/assembled/%.2s/%s.cubin",
                 has_cache ? cache : home, has_cache ? "" : "/.cache", key, key + 2);
    return printed > 0 && printed < PATH_BYTES;
}

bool ifl_assembled_read(const char key[IFL_SHA256_TEXT], char **cubin, size_t *bytes)
{
    char path[PATH_BYTES];
    return entry_path(key, path) &&
           ifl_file_read(path, MAX_CUBIN_BYTES, cubin, bytes, NULL) == IFL_OK;
}

void ifl_assembled_write(const char key[IFL_SHA256_TEXT], const char *cubin, size_t bytes)
{
    char path[PATH_BYTES];
    ifl_file file;
    if (!entry_path(key, path) || !ifl_file_make_folders(path) ||
        ifl_file_create(&file, path, NULL) != IFL_OK)
        return;
    if (fwrite(cubin, 1, bytes, file.stream) == bytes)
        ifl_file_commit(&file, NULL);
    else
        ifl_file_abandon(&file);
}
