/* SPDX-License-Identifier: Apache-2.0
 * See own_runtime_calls.h. */
#include "audit/own_runtime_calls.h"

#include "audit/runtime_archive.h"
#include "audit/runtime_names.h"
#include "audit/runtime_shared.h"

#include <stdlib.h>
#include <string.h>

/* Ascending. */
static const char *const known[] = {
#define CALL(name) #name,
#include "standin/cudart_call.def"
#undef CALL
};
enum { KNOWN = sizeof known / sizeof *known };

static int compare(const void *name, const void *row)
{
    return strcmp(name, *(const char *const *)row);
}

const char *ifl_own_runtime_call(const char *name)
{
    if (strncmp(name, "cuda", 4) != 0 && strncmp(name, "__cuda", 6) != 0)
        return NULL;
    const char *const *row = bsearch(name, known, KNOWN, sizeof *known, compare);
    return row ? *row : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* A program may call a function of its own cudaSomething, but none of those that are known. */
static bool gather(const ifl_object_file *file, ifl_own_runtime *out)
{
    for (size_t i = 0; i < file->symbol_count; i++) {
        const char *name = ifl_object_function(file, i);
        const char *row = name ? ifl_own_runtime_call(name) : NULL;
        if (!row)
            continue;
        if (out->count == KNOWN)
            return false;
        out->calls[out->count++] = (ifl_own_call){row, file->symbols[i].st_value};
    }
    return true;
}

static const ifl_own_call *call_named(const ifl_own_runtime *runtime, const char *name)
{
    for (size_t i = 0; i < runtime->count; i++)
        if (strcmp(runtime->calls[i].name, name) == 0)
            return &runtime->calls[i];
    return NULL;
}

/* ---- version --------------------------------------------------------------------------------- */

/* In libcudart_static.a of 11.8, 12.4, 12.9, 13.0 and 13.2 cudaRuntimeGetVersion calls a function
 * that begins, behind endbr or a test of its argument, with "mov dword ptr [rdi], 13020; xor eax,
 * eax; ret" (seen in CuPy's modules and in programs of nvcc 13.0). */
static int version_written_by(const ifl_object_file *file, uint64_t address)
{
    enum { BODY = 24, INSTRUCTION = 9, LEAST = 11000, MOST = 99999 };
    const uint8_t *code = ifl_object_code(file, address, BODY);
    for (size_t i = 0; code && i + INSTRUCTION <= BODY; i++) {
        static const uint8_t tail[] = {0x31, 0xc0, 0xc3};
        uint32_t version;
        memcpy(&version, code + i + 2, sizeof version);
        if (code[i] == 0xc7 && code[i + 1] == 0x07 &&
            memcmp(code + i + 6, tail, sizeof tail) == 0 && version >= LEAST && version <= MOST)
            return (int)version;
    }
    return 0;
}

/* 0 where the code does not say it. */
static int version_in_code(const ifl_object_file *file, uint64_t address)
{
    enum { BODY = 0x180, CALL_BYTES = 5 }; /* that of 11.8 calls it at 0x12e */
    const uint8_t *code = ifl_object_code(file, address, BODY);
    for (size_t i = 0; code && i + CALL_BYTES <= BODY; i++) {
        int32_t distance;
        if (code[i] != 0xe8)
            continue;
        memcpy(&distance, code + i + 1, sizeof distance);
        const int version =
            version_written_by(file, address + i + CALL_BYTES + (uint64_t)(int64_t)distance);
        if (version)
            return version;
    }
    return 0;
}

/* 12.0 brought cudaGetDeviceProperties_v2 and took the references to textures; 13.0 gave the first
 * its old name. */
static int major_by_names(const ifl_own_runtime *runtime)
{
    return call_named(runtime, "cudaGetDeviceProperties_v2") ? 12
           : call_named(runtime, "cudaBindTexture")          ? 11
                                                             : 13;
}

/* ---- all ------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* No other function of the object begins within `room` bytes of the start of a call; two names of
 * one function do not count. */
static bool has_room(const ifl_object_file *file, const ifl_own_runtime *runtime, size_t room)
{
    size_t count = 0, at = 0;
    uint64_t *starts = malloc((file->symbol_count + 1) * sizeof *starts);
    if (!starts)
        return false;
    for (size_t i = 0; i < file->symbol_count; i++)
        if (ifl_object_function(file, i))
            starts[count++] = file->symbols[i].st_value;
    qsort(starts, count, sizeof *starts, by_address);
    bool is_enough = true;
    for (size_t i = 0; i < runtime->count && is_enough; i++) {
        const uint64_t start = runtime->calls[i].address;
        const uint64_t *found = bsearch(&start, starts, count, sizeof *starts, by_address);
        for (at = (size_t)(found - starts); at < count && starts[at] == start;)
            at++;
        is_enough =
            (at == count || starts[at] - start >= room) && ifl_object_code(file, start, room);
    }
    free(starts);
    return is_enough;
}

/* Whether the version that the code says has these names. */
static bool is_of_its_version(const ifl_object_file *file, ifl_own_runtime *runtime)
{
    const ifl_own_call *version = call_named(runtime, "cudaRuntimeGetVersion");
    runtime->version = version ? version_in_code(file, version->address) : 0;
    return runtime->version / 1000 == major_by_names(runtime);
}

static ifl_own_state find_by_names(const ifl_object_file *file, size_t room, ifl_own_runtime *out)
{
    const bool is_gathered = gather(file, out);
    if (!call_named(out, "__cudaRegisterFatBinary") || !call_named(out, "cudaGetLastError"))
        return IFL_OWN_NONE;
    return is_gathered && is_of_its_version(file, out) && has_room(file, out, room)
               ? IFL_OWN_FOUND
               : IFL_OWN_UNKNOWN;
}

/* ---- stripped copies ------------------------------------------------------------------------- */

/* Adds the calls of a part that the object has. */
static bool add_part(const ifl_object_file *file, const ifl_runtime_layout *layout, size_t room,
                     ifl_own_runtime *out)
{
    uint64_t first, before;
    if (layout->call_count > KNOWN - out->count || !ifl_layout_find(file, layout, &first, &before))
        return false;
    for (size_t i = 0; i < layout->call_count; i++) {
        const ifl_layout_call *call = &layout->calls[i];
        const bool is_before = call->offset == IFL_LAYOUT_BEFORE;
        const uint64_t address = is_before ? before : first + call->offset;
        out->calls[out->count++] = (ifl_own_call){call->name, address};
        if (!ifl_object_code(file, address, room) || (is_before && first - before < room))
            return false;
    }
    return true;
}

static bool find_among_known(const ifl_object_file *file, size_t room, ifl_own_runtime *out)
{
    ifl_runtime_layout layout;
    bool is_whole = false;
    for (size_t i = 0; ifl_layout_known(i, &layout); i++) {
        if (!layout.continues && is_whole && is_of_its_version(file, out)) {
            free(layout.calls);
            return true;
        }
        if (!layout.continues)
            out->count = 0;
        is_whole = (is_whole || !layout.continues) && add_part(file, &layout, room, out);
        free(layout.calls);
    }
    return is_whole && is_of_its_version(file, out);
}

/* An archive, or the shared library of the same build. */
static bool is_copy_of(const ifl_object_file *file, const char *path, size_t room,
                       ifl_own_runtime *out)
{
    ifl_runtime_layout parts[IFL_SHARED_PARTS] = {{0}};
    bool is_found = ifl_archive_open(path, room, ifl_own_runtime_call, &parts[0]) ||
                    ifl_shared_open(path, file, room, ifl_own_runtime_call, parts);
    out->count = 0;
    for (size_t i = 0; i < IFL_SHARED_PARTS; i++) {
        is_found = is_found && (!parts[i].functions || add_part(file, &parts[i], room, out));
        free(parts[i].calls);
    }
    return is_found && is_of_its_version(file, out);
}

static bool find_among_archives(const ifl_object_file *file, const char *path, size_t room,
                                ifl_own_runtime *out)
{
    bool is_found = false;
    glob_t places = ifl_archive_places(path);
    for (size_t i = 0; i < places.gl_pathc && !is_found; i++)
        is_found = is_copy_of(file, places.gl_pathv[i], room, out);
    globfree(&places);
    return is_found;
}

static bool find_in_code(const ifl_object_file *file, size_t room, ifl_own_runtime *out)
{
    return ifl_names_find(file, room, ifl_own_runtime_call, out->calls, KNOWN, &out->count) &&
           is_of_its_version(file, out);
}

/* Archives and code are read for objects with kernels only: nearly all objects of a process have no
 * runtime. */
static ifl_own_state find_by_layout(const ifl_object_file *file, const char *path, size_t room,
                                    ifl_own_runtime *out)
{
    out->count = 0;
    const bool is_found =
        find_among_known(file, room, out) ||
        (ifl_object_section(file, ".nv_fatbin") &&
         (find_among_archives(file, path, room, out) || find_in_code(file, room, out)));
    return is_found ? IFL_OWN_FOUND : IFL_OWN_NONE;
}

ifl_own_state ifl_own_runtime_find(const ifl_object_file *file, const char *path, size_t room,
                                   ifl_own_runtime *out)
{
    *out = (ifl_own_runtime){.calls = calloc(KNOWN, sizeof *out->calls)};
    if (!out->calls)
        return IFL_OWN_UNKNOWN;
    ifl_own_state state = find_by_names(file, room, out);
    if (state == IFL_OWN_NONE)
        state = find_by_layout(file, path, room, out);
    if (state == IFL_OWN_FOUND)
        return state;
    free(out->calls);
    out->calls = NULL;
    return state;
}
