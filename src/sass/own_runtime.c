/* SPDX-License-Identifier: Apache-2.0
 * Why an object's own copy of the CUDA runtime, which asks the driver for what is not served, was
 * not replaced: it is not of a known build and has no names, or is incomplete; or no library can be
 * put before it, since it has no dynamic linker. */
#include "inflight.h"

#include "base/error.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

typedef struct finding {
    bool has_kernels, asks_runtime; /* or the driver */
    bool has_names;                 /* of its own runtime */
    bool is_dynamic, is_program;    /* not: a library */
} finding;

/* A symbol of the table with one of the names, defined there or elsewhere. */
static bool has_symbol(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, bool is_defined,
                       const char *const *names)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || (symbol.st_shndx != SHN_UNDEF) != is_defined)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        for (const char *const *one = names; name && *one; one++)
            if (strcmp(name, *one) == 0)
                return true;
    }
    return false;
}

static finding look(Elf *elf)
{
    static const char *const asked[] = {"__cudaRegisterFatBinary", "cuInit", NULL};
    static const char *const own[] = {"__cudaRegisterFatBinary", NULL};
    finding found = {0};
    size_t names;
    Elf_Scn *section = NULL;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return found;
    while ((section = elf_nextscn(elf, section)) != NULL) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header))
            continue;
        const char *name = elf_strptr(elf, names, header.sh_name);
        found.has_kernels |= name && strcmp(name, ".nv_fatbin") == 0;
        found.is_dynamic |= header.sh_type == SHT_DYNAMIC;
        found.is_program |= name && strcmp(name, ".interp") == 0;
        found.asks_runtime |=
            header.sh_type == SHT_DYNSYM && has_symbol(elf, section, &header, false, asked);
        found.has_names |=
            header.sh_type == SHT_SYMTAB && has_symbol(elf, section, &header, true, own);
    }
    return found;
}

static ifl_status complain(const char *path, const finding *found, ifl_error *error)
{
    const char *why =
        "without the names of its functions, of a build that inflight does not know "
        "and that no libcudart_static.a found here names (INFLIGHT_CUDART_STATIC=FILE "
        "adds one: of the same CUDA version, or from 12.8 on its libcudart.so)";
    if (!found->is_dynamic)
        return ifl_fail(
            error, IFL_UNSUPPORTED,
            "'%.200s' is linked with -static, so that CUDA's libraries cannot be replaced: link it "
            "without -static",
            path);
    if (found->has_names)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%.200s' contains a copy of the CUDA runtime that is incomplete or not of "
                        "version 11, 12 "
                        "or 13: link it with nvcc -cudart shared",
                        path);
    if (found->is_program)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%.200s' contains a copy of the CUDA runtime %s: keep its names (no -s, "
                        "no strip), or link it "
                        "with nvcc -cudart shared",
                        path, why);
    return ifl_fail(
        error, IFL_UNSUPPORTED,
        "the library '%.200s' contains a copy of the CUDA runtime %s: its calls need a GPU. If you "
        "build it yourself, keep its names (no -s, no strip), or link it with nvcc -cudart shared",
        path, why);
}

ifl_status ifl_program_check(const char *path, bool is_asking, ifl_error *error)
{
    finding found = {0};
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || elf_version(EV_CURRENT) == EV_NONE) {
        if (file >= 0)
            close(file);
        return IFL_OK;
    }
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    if (elf)
        found = look(elf);
    elf_end(elf);
    close(file);
    if (!found.has_kernels || found.asks_runtime || (found.is_dynamic && !is_asking))
        return IFL_OK;
    return complain(path, &found, error);
}
