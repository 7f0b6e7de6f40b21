/* SPDX-License-Identifier: Apache-2.0
 * Opening a file of any kind that holds kernels, and writing its stages. It knows where PTX can
 * be, not what to do with it. */
#include "session/module.h"

#include "base/file.h"
#include "compile/cuda_source.h"
#include "compile/nvjitlink.h"
#include "compile/ptxas.h"
#include "ptx/join.h"
#include "ptx/lower.h"
#include "ptx/ptx.h"
#include "sass/constant_header.h"
#include "sass/embedded.h"
#include "session/argument.h"
#include "session/signature.h"

#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE_BYTES = 1 << 30, PROBE_BYTES = 4096, ARCH_BYTES = 8 };

/* ---- what a file is -------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static bool starts_with(const char *data, size_t bytes, const char *magic, size_t magic_bytes)
{
    return bytes >= magic_bytes && memcmp(data, magic, magic_bytes) == 0;
}

/* Text has no control characters but these; PTX and source are ASCII or UTF-8. */
static bool is_binary(const char *data, size_t bytes)
{
    static const char allowed[] = "\t\n\v\f\r";
    while (bytes && data[bytes - 1] == '\0') /* PTX out of a fat binary may end with NULs */
        bytes--;
    for (size_t i = 0; i < bytes && i < PROBE_BYTES; i++)
        if ((unsigned char)data[i] < ' ' && (!data[i] || !strchr(allowed, data[i])))
            return true;
    return false;
}

static bool is_elf(const char *path)
{
    static const char magic[4] = "\177ELF";
    struct stat about;
    char head[sizeof magic];
    const int descriptor =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (descriptor < 0)
        return false;
    const bool same = read(descriptor, head, sizeof head) == sizeof head &&
                      memcmp(head, magic, sizeof magic) == 0;
    close(descriptor);
    return same;
}

/* "sm_90a" -> "90a". */
static ifl_status read_arch(const char *arch, const char *otherwise, char out[ARCH_BYTES],
                            ifl_error *error)
{
    const char *at = arch ? arch : otherwise;
    at += strncmp(at, "sm_", 3) == 0 ? 3 : strncmp(at, "compute_", 8) == 0 ? 8 : 0;
    const size_t digits = strspn(at, "0123456789");
    const size_t letters = strspn(at + digits, "af");
    if (digits < 2 || digits > 3 || letters > 1 || at[digits + letters])
        return ifl_fail(error, IFL_USAGE, "'%.40s' is not an architecture; write sm_90", arch);
    memcpy(out, at, digits + letters + 1);
    return IFL_OK;
}

/* ---- where the PTX is ------------------------------------------------------------------------ */

static ifl_status take_text(char *text, size_t bytes, ifl_ptx_texts *out, ifl_error *error)
{
    if (ifl_vec_push(&out->list, (ifl_ptx_text){.text = text, .bytes = bytes}))
        return IFL_OK;
    free(text);
    return ifl_fail_memory(error, sizeof(ifl_ptx_text));
}

static ifl_status load_source(const char *path, const char *arch, ifl_ptx_texts *out,
                              ifl_error *error)
{
    char number[ARCH_BYTES], *text;
    size_t bytes;
    struct stat about;
    ifl_status status = read_arch(arch, "sm_90", number, error);
    if (status != IFL_OK)
        return status;
    if (stat(path, &about) != 0)
        return ifl_fail_file(error, "open", path);
    status = ifl_cuda_compile(path, number, &text, &bytes, error);
    return status == IFL_OK ? take_text(text, bytes, out, error) : status;
}

static ifl_status load_elf(const char *path, uint32_t sm, ifl_ptx_texts *out, ifl_error *error)
{
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return ifl_fail_file(error, "open", path);
    const ifl_status status = ifl_embedded_elf(descriptor, path, sm, out, error);
    close(descriptor);
    return status;
}

/* Takes `text` over. */
static ifl_status load_text(char *text, size_t bytes, const char *path, uint32_t sm,
                            ifl_ptx_texts *out, ifl_error *error)
{
    static const char archive[] = "!<arch>\n", fatbin[4] = {0x50, (char)0xed, 0x55, (char)0xba};
    ifl_status status;
    if (starts_with(text, bytes, fatbin, sizeof fatbin))
        status = ifl_embedded_fatbin(text, bytes, path, sm, out, error);
    else if (starts_with(text, bytes, archive, sizeof archive - 1))
        status = ifl_fail(error, IFL_UNSUPPORTED,
                          "'%s' is a static library: give the program that links it, or "
                          "take an object out of it with ar x",
                          path);
    else if (bytes == 0)
        status = ifl_fail(error, IFL_BAD_INPUT, "'%s' is empty", path);
    else if (is_binary(text, bytes))
        status = ifl_fail(error, IFL_BAD_INPUT,
                          "'%s' is neither PTX, nor an ELF file, nor a fat binary", path);
    else
        return take_text(text, bytes, out, error);
    free(text);
    return status;
}

static ifl_status load(const char *path, const char *arch, ifl_ptx_texts *out, ifl_error *error)
{
    char number[ARCH_BYTES], *text;
    size_t bytes;
    if (ends_with(path, ".cu"))
        return load_source(path, arch, out, error);
    ifl_status status = read_arch(arch, "999", number, error);
    if (status != IFL_OK)
        return status;
    const uint32_t sm = arch ? (uint32_t)atoi(number) : 0;
    if (is_elf(path))
        return load_elf(path, sm, out, error);
    status = ifl_file_read(path, MAX_FILE_BYTES, &text, &bytes, error);
    return status == IFL_OK ? load_text(text, bytes, path, sm, out, error) : status;
}

/* ---- programs and kernels -------------------------------------------------------------------- */

static ifl_parameter *describe_parameters(ifl_module *module, const ifl_program *program,
                                          const ifl_function *function)
{
    ifl_parameter *parameters =
        ifl_arena_alloc(&module->arena, (function->param_count + 1) * sizeof *parameters);
    for (uint32_t i = 0; parameters && i < function->param_count; i++) {
        const ifl_variable *variable = &program->variables[function->params[i]];
        char text[32];
        parameters[i] = (ifl_parameter){.name = variable->name,
                                        .offset = variable->offset,
                                        .bytes = variable->bytes,
                                        .type = variable->type};
        ifl_param_text(&parameters[i], text, sizeof text);
        parameters[i].text = ifl_arena_text(&module->arena, text, strlen(text));
        if (!parameters[i].text)
            return NULL;
    }
    return parameters;
}

static ifl_status add_kernel(ifl_module *module, const ifl_program *program, uint32_t index,
                             ifl_error *error)
{
    const ifl_function *function = &program->functions[index];
    const char *signature = ifl_demangle(&module->arena, function->name);
    const ifl_kernel kernel = {.name = function->name,
                               .target = program->target,
                               .program = program,
                               .function = index,
                               .parameters = describe_parameters(module, program, function),
                               .parameter_count = function->param_count,
                               .param_bytes = function->param_bytes};
    if (!signature || !kernel.parameters || !ifl_vec_push(&module->kernels, kernel) ||
        !ifl_vec_push(&module->names, (ifl_kernel_name){function->name, signature}))
        return ifl_fail_memory(error, sizeof(ifl_kernel_name));
    return IFL_OK;
}

static ifl_status add_kernels(ifl_module *module, const ifl_program *program, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < program->function_count && status == IFL_OK; i++)
        if (program->functions[i].is_kernel && !program->functions[i].is_extern)
            status = add_kernel(module, program, (uint32_t)i, error);
    return status;
}

/* What errors call a text: the file, or which PTX in it. */
static void name_text(const ifl_module *module, const ifl_ptx_texts *texts, size_t i, char *to,
                      size_t size)
{
    const bool plain =
        texts->list.count == 1 && texts->list.at[i].sm == 0 && !ends_with(module->path, ".cu");
    if (plain)
        snprintf(to, size, "%s", module->path);
    else if (texts->list.count == 1)
        snprintf(to, size, "%s[ptx]", module->path);
    else
        snprintf(to, size, "%s[ptx %zu]", module->path, i);
}

/* One bad text among several does not keep the others from being used; it is remembered. */
static ifl_status read_text(ifl_module *module, const ifl_ptx_texts *texts, size_t i,
                            ifl_error *error)
{
    char name[IFL_PATH_BYTES + 32];
    ifl_program *program;
    ifl_error own = {0};
    const ifl_ptx_text *text = &texts->list.at[i];
    name_text(module, texts, i, name, sizeof name);
    const ifl_status status = ifl_ptx_read(name, text->text, text->bytes, &program, &own);
    if (status == IFL_OK) {
        if (!ifl_vec_push(&module->programs, program)) {
            ifl_program_free(program);
            return ifl_fail_memory(error, sizeof program);
        }
        return IFL_OK;
    }
    if (status != IFL_NO_MEMORY && texts->list.count > 1) {
        if (module->unread_count++ == 0)
            module->unread = own;
        return IFL_OK;
    }
    if (error)
        *error = own;
    return status;
}

static ifl_status read_texts(ifl_module *module, const ifl_ptx_texts *texts, ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < texts->list.count && status == IFL_OK; i++)
        status = read_text(module, texts, i, error);
    if (status != IFL_OK || module->programs.count > 0)
        return status;
    if (error)
        *error = module->unread;
    return module->unread.status;
}

/* What nvcc -rdc=true compiled apart becomes one program. */
static ifl_status join(ifl_module *module, ifl_error *error)
{
    ifl_program *joined;
    const size_t count = module->programs.count;
    if (count < 2 || !ifl_programs_need_joining(module->programs.at, count))
        return IFL_OK;
    if (!ifl_vec_reserve(&module->parts, count))
        return ifl_fail_memory(error, count * sizeof *module->parts.at);
    const ifl_status status = ifl_programs_join(module->programs.at, count, &joined, error);
    if (status != IFL_OK)
        return status;
    memcpy(module->parts.at, module->programs.at, count * sizeof *module->parts.at);
    module->parts.count = count;
    module->programs.at[0] = joined;
    module->programs.count = 1;
    return IFL_OK;
}

static ifl_status settle(ifl_module *module, ifl_error *error)
{
    ifl_status status = join(module, error);
    for (size_t i = 0; i < module->programs.count && status == IFL_OK; i++)
        status = add_kernels(module, module->programs.at[i], error);
    return status;
}

/* ---- machine code alone ---------------------------------------------------------------------- */

/* What a parameter of machine code is: so many bytes. */
static uint8_t plain_type(uint64_t bytes)
{
    return bytes == 8   ? IFL_TYPE_B64
           : bytes == 4 ? IFL_TYPE_B32
           : bytes == 2 ? IFL_TYPE_B16
                        : IFL_TYPE_B8;
}

static ifl_parameter *machine_parameters(ifl_module *module, const ifl_machine_kernel *code)
{
    ifl_parameter *parameters =
        ifl_arena_alloc(&module->arena, (code->parameter_count + 1) * sizeof *parameters);
    for (size_t i = 0; parameters && i < code->parameter_count; i++) {
        char text[32];
        parameters[i] = (ifl_parameter){.name = "",
                                        .offset = code->parameters[i].offset,
                                        .bytes = code->parameters[i].bytes,
                                        .type = plain_type(code->parameters[i].bytes)};
        ifl_param_text(&parameters[i], text, sizeof text);
        parameters[i].text = ifl_arena_text(&module->arena, text, strlen(text));
        if (!parameters[i].text)
            return NULL;
    }
    return parameters;
}

static ifl_status add_machine_kernel(ifl_module *module, const ifl_machine_kernel *code,
                                     ifl_error *error)
{
    const char *signature = ifl_demangle(&module->arena, code->name);
    char target[16];
    snprintf(target, sizeof target, "sm_%u", code->sm);
    const ifl_kernel kernel = {.name = code->name,
                               .target = ifl_arena_text(&module->arena, target, strlen(target)),
                               .parameters = machine_parameters(module, code),
                               .parameter_count = (uint32_t)code->parameter_count,
                               .param_bytes = ifl_sass_param_bytes(code)};
    if (!signature || !kernel.target || !kernel.parameters ||
        !ifl_vec_push(&module->kernels, kernel) ||
        !ifl_vec_push(&module->names, (ifl_kernel_name){code->name, signature}))
        return ifl_fail_memory(error, sizeof(ifl_kernel_name));
    return IFL_OK;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

ifl_status ifl_module_add_machine(ifl_module *module, const ifl_machine *machine, ifl_error *error)
{
    const size_t count = module->names.count;
    const char **names = malloc((count + 1) * sizeof *names);
    if (!names)
        return ifl_fail_memory(error, count * sizeof *names);
    for (size_t i = 0; i < count; i++)
        names[i] = module->names.at[i].mangled;
    qsort(names, count, sizeof *names, compare_texts);
    ifl_status status = IFL_OK;
    for (size_t k = 0; k < machine->kernel_count && status == IFL_OK; k++) {
        const ifl_machine_kernel *code = &machine->kernels[k];
        if (code->is_kernel && !bsearch(&code->name, names, count, sizeof *names, compare_texts))
            status = add_machine_kernel(module, code, error);
    }
    free(names);
    return status;
}

/* The GPU whose code is meant; where nobody asked for it, the newest code is what there is
 * otherwise. */
typedef struct wanted {
    uint32_t sm;
    bool is_asked;
} wanted;

/* The kernels of a file without PTX. */
static ifl_status take_machine(ifl_module *module, const ifl_machine_source *source, wanted w,
                               ifl_error *error)
{
    ifl_status status = ifl_machine_read_best(source, w.sm, !w.is_asked, &module->machine, error);
    for (size_t k = 0; status == IFL_OK && k < module->machine->kernel_count; k++)
        if (module->machine->kernels[k].is_kernel)
            status = add_machine_kernel(module, &module->machine->kernels[k], error);
    return status;
}

/* Without PTX that can be read, machine code is what there is. What a program loads may be
 * variables alone (cuBLASLt has such a fat binary); a file that somebody names has kernels. */
static ifl_status or_machine(ifl_module *module, ifl_status status,
                             const ifl_machine_source *source, wanted w, ifl_error *error)
{
    ifl_error own = {0};
    if ((status != IFL_UNSUPPORTED && status != IFL_BAD_INPUT) || !module->has_machine)
        return status;
    const ifl_status taken = take_machine(module, source, w, &own);
    const bool has_code = taken == IFL_OK && (module->kernels.count || source->bytes);
    if (!has_code && !(w.is_asked && taken == IFL_UNSUPPORTED))
        return status;
    if (error)
        *error = own;
    return taken;
}

static bool may_hold_machine_code(const char *path)
{
    static const char fatbin[4] = {0x50, (char)0xed, 0x55, (char)0xba};
    char head[sizeof fatbin] = "";
    FILE *in = is_elf(path) ? NULL : fopen(path, "rb");
    const bool is_fatbin =
        in && fread(head, sizeof head, 1, in) == 1 && memcmp(head, fatbin, sizeof fatbin) == 0;
    if (in)
        fclose(in);
    return is_fatbin || is_elf(path);
}

static wanted wanted_of(const char *arch)
{
    enum { H200 = 90 };
    const char *digits = arch ? arch + strcspn(arch, "0123456789") : "";
    return (wanted){*digits ? (uint32_t)atoi(digits) : H200, *digits};
}

/* What stands in fat binaries was chosen by it already; PTX text has one target. */
static ifl_status check_target(const ifl_module *module, wanted w, ifl_error *error)
{
    for (size_t i = 0; i < module->programs.count && w.is_asked; i++)
        if (module->programs.at[i]->sm > w.sm)
            return ifl_fail(error, IFL_UNSUPPORTED,
                            "'%s' has no PTX for sm_%u or older; it has PTX for %s", module->path,
                            w.sm, module->programs.at[i]->target);
    return IFL_OK;
}

static ifl_status end_assembly(const ifl_assembled *assembled, ifl_status status, ifl_error *error)
{
    if (status == IFL_NO_MEMORY && error)
        *error = assembled->why_not;
    return status == IFL_NO_MEMORY ? status : IFL_OK;
}

/* A GPU runs what ptxas makes of a .cu file. Where there is no ptxas, or it takes other PTX than we
 * do, the PTX runs. */
static ifl_status assemble(ifl_module *module, const ifl_ptx_text *text, const char *arch,
                           ifl_error *error)
{
    char number[ARCH_BYTES];
    ifl_status status = read_arch(arch, "sm_90", number, error);
    if (status != IFL_OK)
        return status;
    status = ifl_ptx_assemble(&(ifl_ptx_source){text->text, text->bytes, number, 0},
                              &module->assembled.cubin, &module->assembled.bytes,
                              &module->assembled.why_not);
    module->has_machine = module->assembled.cubin != NULL;
    return end_assembly(&module->assembled, status, error);
}

static ifl_status fill(ifl_module *module, const char *path, const char *arch, ifl_error *error)
{
    const bool is_source = ends_with(path, ".cu");
    ifl_ptx_texts texts = {0};
    module->path = ifl_arena_text(&module->arena, path, strlen(path));
    if (!module->path)
        return ifl_fail_memory(error, strlen(path));
    module->has_machine = !is_source && may_hold_machine_code(path);
    ifl_status status = load(path, arch, &texts, error);
    if (status == IFL_OK && is_source)
        status = assemble(module, &texts.list.at[0], arch, error);
    if (status == IFL_OK)
        status = read_texts(module, &texts, error);
    if (status == IFL_OK)
        status = settle(module, error);
    if (status == IFL_OK)
        status = check_target(module, wanted_of(arch), error);
    ifl_ptx_texts_free(&texts);
    return or_machine(module, status, &(ifl_machine_source){.name = path}, wanted_of(arch), error);
}

ifl_status ifl_module_open(const char *path, const char *arch, ifl_module **out, ifl_error *error)
{
    *out = NULL;
    if (!path)
        return ifl_fail(error, IFL_USAGE, "no file is given");
    ifl_module *module = calloc(1, sizeof *module);
    if (!module)
        return ifl_fail_memory(error, sizeof *module);
    const ifl_status status = fill(module, path, arch, error);
    if (status != IFL_OK)
        ifl_module_close(module);
    else
        *out = module;
    return status;
}

static ifl_status load_elf_bytes(const char *bytes, size_t size, const char *name, uint32_t sm,
                                 ifl_ptx_texts *out, ifl_error *error)
{
    const int descriptor = memfd_create("inflight", MFD_CLOEXEC);
    ifl_status status = IFL_OK;
    for (size_t done = 0; descriptor >= 0 && done < size && status == IFL_OK;) {
        const ssize_t wrote = write(descriptor, bytes + done, size - done);
        done += wrote > 0 ? (size_t)wrote : 0;
        status = wrote > 0 ? IFL_OK : ifl_fail_file(error, "copy", name);
    }
    if (descriptor < 0)
        return ifl_fail_file(error, "copy", name);
    if (status == IFL_OK)
        status = ifl_embedded_elf(descriptor, name, sm, out, error);
    close(descriptor);
    return status;
}

static ifl_status load_bytes(const char *bytes, size_t size, const char *name, uint32_t sm,
                             ifl_ptx_texts *out, ifl_error *error)
{
    if (starts_with(bytes, size, "\177ELF", 4))
        return load_elf_bytes(bytes, size, name, sm, out, error);
    char *text = malloc(size + 1);
    if (!text)
        return ifl_fail_memory(error, size);
    memcpy(text, bytes, size);
    text[size] = '\0';
    return load_text(text, size, name, sm, out, error);
}

/* Of the GPU's own features (sm_90a) where the PTX uses them. */
static void target_of(const ifl_ptx_text *text, uint32_t sm, char arch[ARCH_BYTES])
{
    const char *target = strstr(text->text, ".target");
    target = target ? target + strcspn(target, "0123456789\n") : "";
    target += strspn(target, "0123456789");
    snprintf(arch, ARCH_BYTES, "%u%.1s", sm, *target == 'a' || *target == 'f' ? target : "");
}

/* Translation units that nvcc -rdc=true left as objects for this GPU, such as the device runtime's. */
typedef struct objects {
    IFL_VEC(ifl_link_input) list;
    bool is_linked; /* there is code that was linked, which runs as it is */
} objects;

enum { INPUT_CUBIN = 0, INPUT_PTX = 1 };

static ifl_status take_object(void *user, const char *name, const uint8_t *bytes, size_t size,
                              ifl_error *error)
{
    (void)name;
    objects *all = user;
    uint16_t type = ET_NONE;
    if (size >= sizeof(Elf64_Ehdr))
        memcpy(&type, bytes + offsetof(Elf64_Ehdr, e_type), sizeof type);
    all->is_linked |= type != ET_REL;
    if (all->is_linked)
        return IFL_OK;
    char *copy = malloc(size);
    if (copy && ifl_vec_push(&all->list, (ifl_link_input){INPUT_CUBIN, copy, size, "an object"})) {
        memcpy(copy, bytes, size);
        return IFL_OK;
    }
    free(copy);
    return ifl_fail_memory(error, size);
}

static void free_objects(objects *all)
{
    for (size_t i = 0; i < all->list.count; i++)
        if (all->list.at[i].type == INPUT_CUBIN)
            free(all->list.at[i].bytes);
    ifl_vec_free(&all->list);
}

/* True: nothing of the file has to be compiled or linked for this GPU. */
static bool runs_as_it_is(const ifl_module *module, const ifl_machine_source *source, uint32_t sm,
                          const ifl_ptx_texts *texts, objects *all)
{
    enum { MAJOR = 10 };
    if (!module->has_machine ||
        ifl_machine_each_runnable(source, sm, take_object, all, NULL) != IFL_OK)
        return false;
    for (size_t i = 0; i < texts->list.count && !all->is_linked; i++)
        if (texts->list.at[i].machine_sm / MAJOR != sm / MAJOR)
            return false;
    return true;
}

/* One text by ptxas; several, which belong together, by nvJitLink, with the objects of units that
 * have machine code: "JIT Linking" of the documentation of nvcc. */
static ifl_status assemble_texts(const char *name, const ifl_ptx_texts *texts, uint32_t sm,
                                 objects *all, ifl_assembled *out)
{
    const ifl_ptx_text *text = texts->list.at;
    const size_t count = texts->list.count;
    char arch[ARCH_BYTES];
    target_of(text, sm, arch);
    if (count == 1 && !all->list.count)
        return ifl_ptx_assemble(
            &(ifl_ptx_source){text->text, text->bytes, arch, text->most_registers}, &out->cubin,
            &out->bytes, &out->why_not);
    const bool has_objects = all->list.count != 0;
    for (size_t i = 0; i < count; i++)
        if ((!has_objects || text[i].machine_sm / 10 != sm / 10) &&
            !ifl_vec_push(&all->list,
                          (ifl_link_input){INPUT_PTX, text[i].text, text[i].bytes + 1, name}))
            return ifl_fail_memory(&out->why_not, sizeof(ifl_link_input));
    const ifl_status status =
        ifl_nvjitlink(arch, all->list.at, all->list.count, &out->cubin, &out->bytes, &out->why_not);
    if (status == IFL_UNSUPPORTED) /* there is no nvJitLink */
        out->why_not = (ifl_error){0};
    return status;
}

ifl_status ifl_module_assemble(const ifl_module *module, uint32_t sm, bool is_needed,
                               ifl_assembled *out, ifl_error *error)
{
    const ifl_machine_source source = {.name = module->path};
    char arch[ARCH_BYTES];
    ifl_ptx_texts texts = {0};
    objects all = {0};
    if (module->assembled.cubin || module->programs.count != 1 || !ifl_sass_supports(sm) ||
        !(is_needed || module->has_machine) || ends_with(module->path, ".cu"))
        return IFL_OK;
    snprintf(arch, sizeof arch, "%u", sm);
    ifl_status status = load(module->path, arch, &texts, &out->why_not);
    if (status == IFL_OK && texts.list.count && !runs_as_it_is(module, &source, sm, &texts, &all))
        status = assemble_texts(module->path, &texts, sm, &all, out);
    free_objects(&all);
    ifl_ptx_texts_free(&texts);
    return end_assembly(out, status, error);
}

static ifl_status fill_from_bytes(ifl_module *module, const char *name, const char *bytes,
                                  size_t size, uint32_t sm, bool assembles, ifl_error *error)
{
    ifl_machine_source source = {name, (const uint8_t *)bytes, size};
    ifl_ptx_texts texts = {0};
    objects all = {0};
    module->path = ifl_arena_text(&module->arena, name, strlen(name));
    if (!module->path)
        return ifl_fail_memory(error, strlen(name));
    module->has_machine =
        starts_with(bytes, size, "\177ELF", 4) || starts_with(bytes, size, "\x50\xed\x55\xba", 4);
    ifl_status status = load_bytes(bytes, size, name, sm, &texts, error);
    if (status == IFL_OK && assembles && texts.list.count && ifl_sass_supports(sm) &&
        !runs_as_it_is(module, &source, sm, &texts, &all)) {
        status = end_assembly(&module->assembled,
                              assemble_texts(name, &texts, sm, &all, &module->assembled), error);
        if (module->assembled.cubin) {
            source.bytes = (const uint8_t *)module->assembled.cubin;
            source.size = module->assembled.bytes;
            module->has_machine = true;
        }
    }
    if (status == IFL_OK)
        status = read_texts(module, &texts, error);
    if (status == IFL_OK)
        status = settle(module, error);
    free_objects(&all);
    ifl_ptx_texts_free(&texts);
    return or_machine(module, status, &source, (wanted){sm, false}, error);
}

ifl_status ifl_module_open_bytes(const char *name, const void *bytes, size_t size, uint32_t sm,
                                 bool assembles, ifl_module **out, ifl_error *error)
{
    *out = NULL;
    ifl_module *module = calloc(1, sizeof *module);
    if (!module)
        return ifl_fail_memory(error, sizeof *module);
    const ifl_status status = fill_from_bytes(module, name, bytes, size, sm, assembles, error);
    if (status != IFL_OK)
        ifl_module_close(module);
    else
        *out = module;
    return status;
}

void ifl_module_close(ifl_module *module)
{
    if (!module)
        return;
    for (size_t i = 0; i < module->programs.count; i++)
        ifl_program_free(module->programs.at[i]);
    for (size_t i = 0; i < module->parts.count; i++)
        ifl_program_free(module->parts.at[i]);
    free(module->assembled.cubin);
    if (module->machine)
        ifl_machine_free(module->machine);
    ifl_vec_free(&module->parts);
    ifl_vec_free(&module->programs);
    ifl_vec_free(&module->kernels);
    ifl_vec_free(&module->names);
    ifl_arena_free(&module->arena);
    free(module);
}

size_t ifl_module_kernel_count(const ifl_module *module)
{
    return module->kernels.count;
}

const char *ifl_module_kernel_name(const ifl_module *module, size_t index)
{
    return index < module->names.count ? module->names.at[index].mangled : NULL;
}

const char *ifl_module_kernel_signature(const ifl_module *module, size_t index)
{
    return index < module->names.count ? module->names.at[index].signature : NULL;
}

const char *ifl_module_kernel_parameter(const ifl_module *module, size_t kernel, size_t parameter)
{
    if (kernel >= module->kernels.count)
        return NULL;
    const ifl_kernel *of = &module->kernels.at[kernel];
    return parameter < of->parameter_count ? of->parameters[parameter].text : NULL;
}

const char *ifl_module_kernel_type(const ifl_module *module, size_t kernel, size_t parameter)
{
    return ifl_module_kernel_parameter(module, kernel, parameter)
               ? ifl_signature_type(module->names.at[kernel].signature, parameter)
               : NULL;
}

static void append_unread(const ifl_module *module, ifl_error *error)
{
    if (!error || !module->unread_count)
        return;
    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used,
             "\n%zu PTX texts of the file cannot be read: %s:%d: %.200s", module->unread_count,
             module->unread.file, module->unread.line, module->unread.text);
}

ifl_status ifl_module_find(const ifl_module *module, const char *name, size_t *kernel,
                           ifl_error *error)
{
    const ifl_status status =
        ifl_kernel_find(module->names.at, module->names.count, name, module->path, kernel, error);
    if (status != IFL_OK)
        append_unread(module, error);
    return status;
}

/* ---- stages ---------------------------------------------------------------------------------- */

/* One stage of one program; `function` -1: all of it. */
typedef ifl_status (*stage_writer)(const ifl_program *program, int function, FILE *out,
                                   ifl_error *error);

static ifl_status write_ptx(const ifl_program *program, int function, FILE *out, ifl_error *error)
{
    (void)function; /* a kernel needs the declarations around it: the whole text is written */
    (void)error;
    if (program->text)
        fwrite(program->text, 1, program->text_bytes, out);
    return IFL_OK;
}

static ifl_status write_program(const ifl_program *program, int function, FILE *out,
                                ifl_error *error)
{
    (void)error;
    ifl_program_print(program, function, out);
    return IFL_OK;
}

/* Variables have no addresses yet. */
static ifl_status print_code(const ifl_program *program, uint32_t function, FILE *out,
                             ifl_error *error)
{
    uint64_t *address = calloc(program->variable_count + 1, sizeof *address);
    const ifl_ptx_lowering lowering = {
        .program = program, .function = function, .variable_address = address};
    ifl_image image;
    if (!address)
        return ifl_fail_memory(error, program->variable_count);
    const ifl_status status = ifl_ptx_lower(&lowering, &image, error);
    if (status == IFL_OK) {
        ifl_image_print(&image, out);
        ifl_image_free(&image);
    }
    free(address);
    return status;
}

static ifl_status write_code(const ifl_program *program, int function, FILE *out, ifl_error *error)
{
    if (function >= 0)
        return print_code(program, (uint32_t)function, out, error);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < program->function_count && status == IFL_OK; i++)
        if (program->functions[i].count)
            status = print_code(program, (uint32_t)i, out, error);
    return status;
}

static const struct {
    const char *name;
    stage_writer write;
} stages[] = {{"ptx", write_ptx}, {"program", write_program}, {"code", write_code}};

static stage_writer find_stage(const char *name)
{
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        if (name && strcmp(stages[i].name, name) == 0)
            return stages[i].write;
    return NULL;
}

static ifl_status dump_all(const ifl_module *module, stage_writer write, FILE *out,
                           ifl_error *error)
{
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < module->programs.count && status == IFL_OK; i++)
        status = write(module->programs.at[i], -1, out, error);
    return status;
}

static ifl_status dump_kernel(const ifl_module *module, stage_writer write, const char *kernel,
                              FILE *out, ifl_error *error)
{
    size_t index;
    const ifl_status status = ifl_module_find(module, kernel, &index, error);
    if (status != IFL_OK)
        return status;
    const ifl_kernel *found = &module->kernels.at[index];
    if (!found->program)
        return ifl_fail(error, IFL_UNSUPPORTED,
                        "'%s' has no PTX, only machine code: see inflight sass", module->path);
    return write(found->program, (int)found->function, out, error);
}

ifl_status ifl_module_dump(const ifl_module *module, const char *stage, const char *kernel,
                           FILE *out, ifl_error *error)
{
    const stage_writer write = find_stage(stage);
    if (!write)
        return ifl_fail(error, IFL_USAGE,
                        "there is no stage '%.40s'; the stages are ptx, program and code",
                        stage ? stage : "");
    const ifl_status status = kernel ? dump_kernel(module, write, kernel, out, error)
                                     : dump_all(module, write, out, error);
    if (status != IFL_OK)
        return status;
    return fflush(out) != 0 || ferror(out) ? ifl_fail_file(error, "write", "the output") : IFL_OK;
}
