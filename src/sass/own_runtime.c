/* SPDX-License-Identifier: Apache-2.0
 * Whether an executable brings its own copy of the CUDA runtime: it holds kernels, and does not ask another library to
 * register them, nor the driver to run them. */
#include "inflight.h"

#include "base/error.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

typedef struct finding {
    bool has_kernels, asks_runtime; /* or the driver */
} finding;

static bool asks_runtime(Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    const size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx != SHN_UNDEF)
            continue;
        const char *name = elf_strptr(elf, header->sh_link, symbol.st_name);
        if (name && (strcmp(name, "__cudaRegisterFatBinary") == 0 || strcmp(name, "cuInit") == 0))
            return true;
    }
    return false;
}

static finding look(Elf *elf)
{
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
        found.asks_runtime |= header.sh_type == SHT_DYNSYM && asks_runtime(elf, section, &header);
    }
    return found;
}

ifl_status ifl_program_check(const char *path, ifl_error *error)
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
    if (!found.has_kernels || found.asks_runtime)
        return IFL_OK;
    return ifl_fail(error, IFL_UNSUPPORTED,
                    "'%.200s' has its own copy of the CUDA runtime inside, which nothing can stand in for: "
                    "link it again with nvcc -cudart shared",
                    path);
}
