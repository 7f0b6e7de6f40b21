/* SPDX-License-Identifier: Apache-2.0
 * Finding PTX in ELF sections and fat binary entries. It hands texts on; it does not read PTX. */
#include "sass/embedded.h"

#include "sass/fatbin.h"

#include <gelf.h>
#include <string.h>
#include <sys/stat.h>

enum { CUDA_MACHINE = 190, LISTED = 160 };

typedef struct search {
    const char *path;
    uint32_t sm; /* wanted; 0: the newest */
    ifl_ptx_texts *out;
    bool machine_code;   /* some was seen */
    char passed[LISTED]; /* the SMs of PTX that is too new for `sm` */
    ifl_error *error;
} search;

void ifl_ptx_texts_free(ifl_ptx_texts *texts)
{
    for (size_t i = 0; i < texts->list.count; i++)
        free(texts->list.at[i].text);
    ifl_vec_free(&texts->list);
}

/* Takes `text` over. */
static ifl_status add_text(search *s, char *text, size_t bytes, const ifl_fatbin_entry *entry)
{
    while (bytes && text[bytes - 1] == '\0')
        bytes--;
    if (ifl_vec_push(&s->out->list,
                     (ifl_ptx_text){text, bytes, entry->sm, 0, entry->most_registers}))
        return IFL_OK;
    free(text);
    return ifl_fail_memory(s->error, sizeof(ifl_ptx_text));
}

/* ---- ELF ------------------------------------------------------------------------------------- */

typedef ifl_status (*section_visitor)(search *s, const uint8_t *data, size_t bytes);

/* .nv_debug_ptx_txt: lines that end with NUL, without the .loc directives. */
static ifl_status take_debug_text(search *s, const uint8_t *data, size_t bytes)
{
    char *text = malloc(bytes + 1);
    if (!text)
        return ifl_fail_memory(s->error, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        text[i] = data[i] ? (char)data[i] : '\n';
    text[bytes] = '\0';
    return add_text(s, text, bytes, &(ifl_fatbin_entry){0});
}

static ifl_status fail_damaged(const search *s)
{
    const int code = elf_errno(); /* 0: it is we who found it */
    return ifl_fail(s->error, IFL_BAD_INPUT, "'%s' is a damaged or truncated ELF file: %s", s->path,
                    code ? elf_errmsg(code) : "its table of sections lies behind its end");
}

static ifl_status visit_section(search *s, Elf_Scn *section, const GElf_Shdr *header,
                                section_visitor visit)
{
    if (header->sh_type == SHT_NOBITS || !header->sh_size)
        return IFL_OK;
    const Elf_Data *data = elf_rawdata(section, NULL);
    return data && data->d_buf ? visit(s, data->d_buf, data->d_size) : fail_damaged(s);
}

/* Calls `visit` for each section of that name. */
static ifl_status visit_sections(search *s, Elf *elf, const char *name, section_visitor visit)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return fail_damaged(s);
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *found =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (!found)
            return fail_damaged(s);
        const ifl_status status =
            strcmp(found, name) == 0 ? visit_section(s, section, &header, visit) : IFL_OK;
        if (status != IFL_OK)
            return status;
    }
    return IFL_OK;
}

/* Machine code that stands in memory. */
static ifl_status search_cubin(search *s, char *image, size_t bytes)
{
    Elf *elf = elf_memory(image, bytes);
    if (!elf)
        return IFL_OK;
    s->machine_code = true;
    const ifl_status status = visit_sections(s, elf, ".nv_debug_ptx_txt", take_debug_text);
    elf_end(elf);
    return status;
}

/* ---- fat binaries ---------------------------------------------------------------------------- */

static bool is_better(search *s, const ifl_fatbin_entry *entry, const ifl_fatbin_entry *best,
                      uint16_t kind)
{
    if (entry->kind != kind)
        return false;
    if (s->sm && entry->sm > s->sm) {
        if (kind == IFL_FATBIN_PTX) {
            const size_t used = strlen(s->passed);
            if (used < LISTED - 16)
                snprintf(s->passed + used, LISTED - used, "%ssm_%u", used ? ", " : "", entry->sm);
        }
        return false;
    }
    return !best->payload || entry->sm > best->sm;
}

/* The best entry of each kind; payload NULL when there is none. */
static ifl_status choose(search *s, ifl_fatbin container, ifl_fatbin_entry *ptx,
                         ifl_fatbin_entry *elf)
{
    ifl_fatbin_entry entry;
    bool found;
    for (;;) {
        const ifl_status status = ifl_fatbin_entry_next(&container, &entry, &found, s->error);
        if (status != IFL_OK || !found)
            return status;
        if (is_better(s, &entry, ptx, IFL_FATBIN_PTX))
            *ptx = entry;
        else if (is_better(s, &entry, elf, IFL_FATBIN_ELF))
            *elf = entry;
    }
}

static ifl_status take_entry(search *s, const ifl_fatbin_entry *entry)
{
    char *text;
    size_t bytes;
    ifl_status status = ifl_fatbin_unpack(entry, &text, &bytes, s->error);
    if (status != IFL_OK)
        return status;
    if (entry->kind == IFL_FATBIN_PTX)
        return add_text(s, text, bytes, entry);
    status = search_cubin(s, text, bytes);
    free(text);
    return status;
}

static ifl_status search_container(search *s, ifl_fatbin container)
{
    ifl_fatbin_entry ptx = {0}, elf = {0};
    const ifl_status status = choose(s, container, &ptx, &elf);
    if (status != IFL_OK)
        return status;
    if (ptx.payload) {
        const ifl_status taken = take_entry(s, &ptx);
        if (taken == IFL_OK)
            s->out->list.at[s->out->list.count - 1].machine_sm = elf.payload ? elf.sm : 0;
        return taken;
    }
    return elf.payload ? take_entry(s, &elf) : IFL_OK;
}

static ifl_status search_fatbin(search *s, const uint8_t *data, size_t bytes)
{
    ifl_fatbin section = {data, data + bytes, s->path}, container;
    bool found;
    for (;;) {
        ifl_status status = ifl_fatbin_next(&section, &container, &found, s->error);
        if (status != IFL_OK || !found)
            return status;
        if ((status = search_container(s, container)) != IFL_OK)
            return status;
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static ifl_status fail_empty(const search *s)
{
    if (s->passed[0])
        return ifl_fail(s->error, IFL_UNSUPPORTED,
                        "'%s' has no PTX for sm_%u or older; it has PTX for %s", s->path, s->sm,
                        s->passed);
    if (s->machine_code)
        return ifl_fail(s->error, IFL_UNSUPPORTED,
                        "'%s' holds machine code only, no PTX\n"
                        "embed it: nvcc -arch=sm_90 keeps both, "
                        "as does -gencode arch=compute_90,code=[sm_90,compute_90]; a cubin keeps "
                        "it with -lineinfo",
                        s->path);
    return ifl_fail(s->error, IFL_BAD_INPUT, "'%s' holds no CUDA code", s->path);
}

static ifl_status finish(search *s, ifl_status status)
{
    if (status == IFL_OK && s->out->list.count == 0)
        status = fail_empty(s);
    if (status != IFL_OK)
        ifl_ptx_texts_free(s->out);
    return status;
}

ifl_status ifl_embedded_fatbin(const char *data, size_t bytes, const char *path, uint32_t sm,
                               ifl_ptx_texts *out, ifl_error *error)
{
    search s = {.path = path, .sm = sm, .out = out, .machine_code = true, .error = error};
    *out = (ifl_ptx_texts){0};
    elf_version(EV_CURRENT);
    return finish(&s, search_fatbin(&s, (const uint8_t *)data, bytes));
}

/* libelf takes a section table that lies behind the file's end for none at all. */
static bool is_cut(const GElf_Ehdr *header, int descriptor)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return true;
    const uint64_t size = (uint64_t)about.st_size,
                   table = (uint64_t)header->e_shnum * header->e_shentsize;
    return header->e_shoff > size || table > size - header->e_shoff;
}

static ifl_status search_elf(search *s, Elf *elf, int descriptor)
{
    static const char *const fatbin_sections[] = {".nv_fatbin", "__nv_relfatbin"};
    GElf_Ehdr header;
    if (!gelf_getehdr(elf, &header) || is_cut(&header, descriptor))
        return fail_damaged(s);
    s->machine_code = header.e_machine == CUDA_MACHINE;
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < sizeof fatbin_sections / sizeof *fatbin_sections && status == IFL_OK;
         i++)
        status = visit_sections(s, elf, fatbin_sections[i], search_fatbin);
    if (status == IFL_OK && s->out->list.count == 0)
        status = visit_sections(s, elf, ".nv_debug_ptx_txt", take_debug_text);
    return status;
}

ifl_status ifl_embedded_elf(int descriptor, const char *path, uint32_t sm, ifl_ptx_texts *out,
                            ifl_error *error)
{
    search s = {.path = path, .sm = sm, .out = out, .error = error};
    *out = (ifl_ptx_texts){0};
    if (elf_version(EV_CURRENT) == EV_NONE)
        return ifl_fail(error, IFL_INTERNAL, "this libelf is too old");
    Elf *elf = elf_begin(descriptor, ELF_C_READ_MMAP, NULL);
    if (!elf)
        return fail_damaged(&s);
    const ifl_status status = search_elf(&s, elf, descriptor);
    elf_end(elf);
    return finish(&s, status);
}
