/* SPDX-License-Identifier: Apache-2.0
 * Cubins and the files that hold them (tests/cubin): what ptxas and nvdisasm said of them when they
 * were made is the expectation. Runs in the repository's root. */
#include "sass/sass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/demangle.h"
#include "base/file.h"
#include "sass/line_table.h"

enum { PATH_BYTES = 128, LINE_BYTES = 1024 };

typedef struct fixture {
    const char *name;
    uint32_t sm, param_base, reserved_shared;
    bool has_lines;
} fixture;

/* The parameters' base is the ABI's: 0x160 to sm_8x, 0x210 on sm_90, 0x380 since sm_100. */
static const fixture fixtures[] = {
    {"sm_75", 75, 0x160, 0, true},
    {"sm_80", 80, 0x160, 0, true},
    {"sm_90", 90, 0x210, 0x400, true},
    {"sm_100", 100, 0x380, 0x400, true},
    {"sm_120", 120, 0x380, 0x400, true},
    {"plain_sm_75", 75, 0x160, 0, false},
    {"plain_sm_90", 90, 0x210, 0x400, false},
    {"plain_sm_120", 120, 0x380, 0x400, false},
    {"cuda11_sm_80", 80, 0x160, 0, true},
    {"cuda12_sm_90", 90, 0x210, 0x400, true},
};
enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

static const char *path_of(const fixture *f, const char *end)
{
    static char path[PATH_BYTES];
    snprintf(path, sizeof path, "tests/cubin/%s%s", f->name, end);
    return path;
}

static ifl_machine *read_file(const char *path, uint32_t sm)
{
    ifl_machine *machine;
    ifl_error error;
    if (ifl_machine_read(path, sm, &machine, &error) != IFL_OK)
        fail_msg("%s: %s", path, error.text);
    return machine;
}

static const ifl_machine_kernel *find_kernel(const ifl_machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->kernel_count; i++)
        if (strcmp(machine->kernels[i].name, name) == 0)
            return &machine->kernels[i];
    fail_msg("%s has no kernel %s", machine->file, name);
    return NULL;
}

typedef void (*check)(const fixture *f, const ifl_machine *machine);

static void for_each_fixture(check run)
{
    for (size_t i = 0; i < FIXTURES; i++) {
        ifl_machine *machine = read_file(path_of(&fixtures[i], ".cubin"), 0);
        run(&fixtures[i], machine);
        ifl_machine_free(machine);
    }
}

/* ---- resources, as ptxas -v says ------------------------------------------------------------- */

static uint64_t number_before(const char *line, const char *words)
{
    const char *at = strstr(line, words);
    if (!at)
        return 0;
    while (at > line && strchr("0123456789", at[-1]))
        at--;
    return strtoull(at, NULL, 10);
}

/* "Used 14 registers, used 1 barriers, 96 bytes cumulative stack size, 512 bytes smem". CUDA 11 has
 * words for neither barriers nor the stack, CUDA 12 none for barriers when there are none. */
static void assert_resources(const ifl_machine_kernel *k, const char *line, uint64_t frame)
{
    const bool is_new = strstr(line, " barriers");
    assert_int_equal(k->registers, number_before(line, " registers"));
    assert_int_equal(k->static_shared_bytes, number_before(line, " bytes smem"));
    assert_int_equal(k->frame_bytes, frame);
    if (is_new)
        assert_int_equal(k->barriers, number_before(line, " barriers"));
    if (is_new || strstr(line, " stack size"))
        assert_int_equal(k->min_stack_bytes, number_before(line, " bytes cumulative stack size"));
}

static void check_resources(const fixture *f, const ifl_machine *machine)
{
    char line[LINE_BYTES], name[LINE_BYTES] = "", about[LINE_BYTES] = "";
    uint64_t frame = 0;
    unsigned kernels = 0;
    FILE *file = fopen(path_of(f, ".ptxas.txt"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        sscanf(line, "ptxas info : Compiling entry function '%1000[^']'", name);
        sscanf(line, "ptxas info : Function properties for %1000s", about);
        if (strstr(line, "bytes stack frame") && strcmp(name, about) == 0)
            frame = number_before(line, " bytes stack frame");
        if (!strstr(line, "Used "))
            continue;
        assert_resources(find_kernel(machine, name), line, frame);
        kernels++;
    }
    fclose(file);
    assert_int_equal(kernels, 6);
    assert_int_equal(machine->kernel_count, 6);
}

static void has_the_resources_that_ptxas_reports(void **state)
{
    (void)state;
    for_each_fixture(check_resources);
}

/* ---- lines and exits, as nvdisasm -gi says --------------------------------------------------- */

/* "kernels.cu:12 kernels.cu:17": the line of the code, then where that is inlined, outward. */
static void write_chain(const ifl_machine *machine, const ifl_machine_kernel *k, uint32_t offset,
                        char *to)
{
    size_t used = 0;
    const ifl_machine_line *line = ifl_machine_line_at(k, offset);
    to[0] = '\0';
    while (line) {
        assert_true(line->file < machine->file_count);
        used += (size_t)snprintf(to + used, LINE_BYTES - used, "%s%s:%u", used ? " " : "",
                                 machine->files[line->file], line->line);
        assert_true(used < LINE_BYTES);
        line = line->inlined_at ? &k->lines[line->inlined_at - 1] : NULL;
    }
}

/* nvdisasm prints a chain where the line of the code itself changes, and the whole one then. */
static void assert_chain(const fixture *f, const ifl_machine *machine, const ifl_machine_kernel *k,
                         uint32_t offset, const char *printed, char *current)
{
    char chain[LINE_BYTES];
    write_chain(machine, k, offset, chain);
    if (*printed) {
        if (strcmp(chain, printed) != 0)
            fail_msg("%s %s 0x%x: '%s', but nvdisasm says '%s'", f->name, k->name, offset, chain,
                     printed);
        strcpy(current, printed);
    }
    assert_int_equal(strcspn(chain, " "), strcspn(current, " "));
    assert_memory_equal(chain, current, strcspn(chain, " "));
}

static bool exits_at(const ifl_machine_kernel *k, uint32_t offset)
{
    for (size_t i = 0; i < k->exit_count; i++)
        if (k->exits[i] == offset)
            return true;
    return false;
}

typedef struct listing {
    const ifl_machine_kernel *kernel;
    size_t instructions, exits;
    char chain[LINE_BYTES];
} listing;

static void end_kernel(const listing *l)
{
    if (!l->kernel)
        return;
    assert_int_equal(l->instructions * 16, l->kernel->code_bytes);
    assert_int_equal(l->exits, l->kernel->exit_count);
}

static void check_line(const fixture *f, const ifl_machine *machine, listing *l, char *line)
{
    char name[LINE_BYTES];
    unsigned offset;
    int used = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "kernel %1000s", name) == 1) {
        end_kernel(l);
        *l = (listing){.kernel = find_kernel(machine, name)};
    } else if (sscanf(line, "exit %x", &offset) == 1) {
        assert_true(exits_at(l->kernel, offset));
        l->exits++;
    } else {
        assert_int_equal(sscanf(line, "%x %n", &offset, &used), 1);
        assert_chain(f, machine, l->kernel, offset, line + used, l->chain);
        l->instructions++;
    }
}

static void check_lines(const fixture *f, const ifl_machine *machine)
{
    char line[LINE_BYTES];
    listing l = {0};
    FILE *file = fopen(path_of(f, ".lines.txt"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        check_line(f, machine, &l, line);
    fclose(file);
    assert_non_null(l.kernel);
    end_kernel(&l);
    assert_int_equal(l.kernel->line_count > 0, f->has_lines);
    assert_int_equal(machine->file_count, f->has_lines);
}

static void has_the_lines_and_exits_that_nvdisasm_prints(void **state)
{
    (void)state;
    for_each_fixture(check_lines);
}

/* The source: norms is inlined in lines 35 and 36, and square in norm's line 17. */
static void check_inlining(const fixture *f, const ifl_machine *machine)
{
    const ifl_machine_kernel *k = find_kernel(machine, "norms");
    bool square = false, second = false;
    for (size_t i = 0; i < k->line_count; i++) {
        const ifl_machine_line *row = &k->lines[i],
                               *outer = row->inlined_at ? &k->lines[row->inlined_at - 1] : NULL;
        assert_int_equal(row->function != NULL, outer != NULL);
        if (outer && row->line == 12) {
            assert_string_equal(row->function, "shape::square(float)");
            assert_string_equal(outer->function, "shape::norm(shape::pair)");
            assert_int_equal(outer->line, 17);
            square = true;
        }
        second |= outer && row->line == 17 && outer->line == 36;
    }
    assert_int_equal(square, f->has_lines);
    assert_int_equal(second, f->has_lines);
    assert_null(k->lines_missing);
}

static void knows_what_is_inlined_where(void **state)
{
    (void)state;
    for_each_fixture(check_inlining);
}

/* ---- what the source and the ABI say --------------------------------------------------------- */

static void check_parameters(const fixture *f, const ifl_machine *machine)
{
    const ifl_machine_parameter expected[] = {{0, 0, 4}, {1, 8, 8}, {2, 16, 8}, {3, 24, 8}};
    const ifl_machine_kernel *k = find_kernel(machine, "_ZN5shape5scaleIdEEviT_PKS1_PS1_");
    assert_int_equal(k->parameter_count, 4);
    assert_memory_equal(k->parameters, expected, sizeof expected);
    assert_int_equal(k->param_base, f->param_base);
    assert_int_equal(k->sm, f->sm);
    assert_int_equal(k->ptx_sm, f->sm); /* make.sh gives ptxas PTX of the target itself */
    assert_string_equal(k->demangled, "shape::scale<double>(int, double, double const*, double*)");
}

static void has_parameters_as_declared(void **state)
{
    (void)state;
    for_each_fixture(check_parameters);
}

static void check_bounds(const fixture *f, const ifl_machine *machine)
{
    const ifl_machine_kernel *k = find_kernel(machine, "named_barriers");
    assert_int_equal(k->max_threads[0], 64);
    assert_int_equal(k->max_threads[1], 1);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->reserved_shared_bytes, f->reserved_shared);
    assert_int_equal(k->barriers, 6); /* up to number 5 */
    k = find_kernel(machine, "norms");
    assert_int_equal(k->max_threads[0], 0);
    k = find_kernel(machine, "dynamic_shared");
    assert_int_equal(k->static_shared_bytes, 0);
    k = find_kernel(machine, "local_array");
    assert_int_equal(k->frame_bytes, 24 * sizeof(int));
}

static void has_bounds_and_memory_as_declared(void **state)
{
    (void)state;
    for_each_fixture(check_bounds);
}

static void check_symbols(const fixture *f, const ifl_machine *machine)
{
    const ifl_machine_kernel *k = find_kernel(machine, "calls");
    (void)f;
    assert_true(k->is_kernel);
    assert_int_equal(k->symbol_count, 1);
    assert_string_equal(k->symbols[0].demangled, "twice(int, int*)");
    assert_true(k->symbols[0].offset > 0 && k->symbols[0].bytes > 0);
    assert_true(k->symbols[0].offset + k->symbols[0].bytes <= k->code_bytes);
    assert_int_equal(find_kernel(machine, "norms")->symbol_count, 0);
}

static void finds_functions_inside_of_kernels(void **state)
{
    (void)state;
    for_each_fixture(check_symbols);
}

static void code_stands_where_it_is_said_to(void **state)
{
    (void)state;
    char *bytes;
    size_t size;
    ifl_machine *machine = read_file("tests/cubin/sm_90.cubin", 90);
    assert_int_equal(ifl_file_read("tests/cubin/sm_90.cubin", 1 << 20, &bytes, &size, NULL),
                     IFL_OK);
    for (size_t i = 0; i < machine->kernel_count; i++) {
        const ifl_machine_kernel *k = &machine->kernels[i];
        assert_true(k->code_file_offset + k->code_bytes <= size);
        assert_memory_equal(bytes + k->code_file_offset, k->code, k->code_bytes);
    }
    free(bytes);
    ifl_machine_free(machine);
}

/* ---- files that hold cubins ------------------------------------------------------------------ */

typedef struct seen {
    unsigned cubins, kernels;
    uint32_t sms; /* their sum */
    ifl_status answer;
} seen;

static ifl_status see(void *user, const ifl_machine *cubin, ifl_error *error)
{
    seen *s = user;
    (void)error;
    s->cubins++;
    s->kernels += (unsigned)cubin->kernel_count;
    s->sms += cubin->kernel_count ? cubin->kernels[0].sm : 0;
    return s->answer;
}

static void assert_seen(const char *path, uint32_t sm, unsigned cubins, unsigned kernels,
                        uint32_t sms)
{
    seen s = {0};
    ifl_error error;
    if (ifl_machine_each(path, sm, see, &s, &error) != IFL_OK)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(s.cubins, cubins);
    assert_int_equal(s.kernels, kernels);
    assert_int_equal(s.sms, sms);
    ifl_machine *machine = read_file(path, sm);
    assert_int_equal(machine->kernel_count, kernels);
    ifl_machine_free(machine);
}

/* As many as cuobjdump -lelf lists: each program has empty ones from the link of its device
 * code. */
static void reads_every_kind_of_file(void **state)
{
    (void)state;
    assert_seen("tests/cubin/program.bin", 0, 9, 6, 2 * (75 + 90 + 120));
    assert_seen("tests/cubin/program.bin", 90, 3, 2, 2 * 90);
    assert_seen("tests/cubin/sm_100.cubin", 100, 1, 6, 100);
    assert_seen("tests/fatbin/program.bin", 0, 3, 2, 2 * 90);
    assert_seen("tests/fatbin/zstd.fatbin", 0, 1, 1, 90);
    assert_seen("tests/fatbin/lz4.fatbin", 0, 1, 1, 90);
    assert_seen("tests/fatbin/plain.fatbin", 0, 1, 1, 90);
    assert_seen("tests/fatbin/code_only.fatbin", 90, 1, 1, 90);
}

static void takes_linked_code_before_objects(void **state)
{
    (void)state;
    ifl_machine *linked = read_file("tests/cubin/linked.bin", 0);
    ifl_machine *object = read_file("tests/cubin/object.bin", 0);
    assert_int_equal(linked->kernel_count, 2);
    assert_int_equal(object->kernel_count, 1);
    assert_false(find_kernel(linked, "_Z5weighi")->is_kernel);
    const ifl_machine_kernel *whole = find_kernel(linked, "weigh_all"),
                             *part = find_kernel(object, "weigh_all");
    assert_true(whole->is_kernel && part->is_kernel);
    assert_int_equal(whole->static_shared_bytes, 32 * sizeof(int));
    assert_int_equal(part->static_shared_bytes, 32 * sizeof(int));
    assert_int_equal(whole->reserved_shared_bytes, 0x400);
    assert_int_equal(part->reserved_shared_bytes, 0); /* the linker adds it */
    ifl_machine_free(linked);
    ifl_machine_free(object);
}

static void lists_targets(void **state)
{
    (void)state;
    ifl_machine_target_list list;
    assert_int_equal(ifl_machine_targets("tests/cubin/program.bin", &list, NULL), IFL_OK);
    assert_int_equal(list.count, 3);
    assert_int_equal(list.sm[0], 75);
    assert_int_equal(list.sm[1], 90);
    assert_int_equal(list.sm[2], 120);
    assert_int_equal(ifl_machine_targets("tests/cubin/cuda11_sm_80.cubin", &list, NULL), IFL_OK);
    assert_int_equal(list.count, 1);
    assert_int_equal(list.sm[0], 80);
}

static void a_visitor_can_end_the_reading(void **state)
{
    (void)state;
    seen s = {.answer = IFL_INTERRUPTED};
    assert_int_equal(ifl_machine_each("tests/cubin/program.bin", 0, see, &s, NULL),
                     IFL_INTERRUPTED);
    assert_int_equal(s.cubins, 1);
}

static void cubins_of_one_machine_share_the_files(void **state)
{
    (void)state;
    ifl_machine *machine = ifl_machine_new("both");
    const char *const paths[] = {"tests/cubin/sm_75.cubin", "tests/cubin/sm_120.cubin"};
    for (size_t i = 0; i < 2; i++) {
        char *bytes;
        size_t size;
        assert_int_equal(ifl_file_read(paths[i], 1 << 20, &bytes, &size, NULL), IFL_OK);
        assert_int_equal(ifl_machine_read_cubin(paths[i], (uint8_t *)bytes, size, machine, NULL),
                         IFL_OK);
        free(bytes);
    }
    assert_int_equal(machine->kernel_count, 12);
    assert_int_equal(machine->file_count, 1);
    assert_string_equal(machine->files[0], "kernels.cu");
    ifl_machine_free(machine);
}

/* ---- files that hold none, or lie ------------------------------------------------------------ */

static void assert_says(const char *path, uint32_t sm, ifl_status status, const char *part)
{
    ifl_machine *machine;
    ifl_error error = {0};
    assert_int_equal(ifl_machine_read(path, sm, &machine, &error), status);
    assert_null(machine);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", path, error.text);
}

static void says_what_a_file_holds_instead(void **state)
{
    (void)state;
    assert_says("tests/cubin/program.bin", 80, IFL_BAD_INPUT, "for sm_75, sm_90, sm_120");
    assert_says("tests/cubin/sm_90.cubin", 80, IFL_BAD_INPUT, "no machine code for sm_80");
    assert_says("tests/ptx/mov.ptx", 0, IFL_BAD_INPUT, "holds PTX text, not machine code");
    assert_says("tests/cubin/kernels.cu", 0, IFL_BAD_INPUT, "is CUDA source");
    assert_says("/proc/self/exe", 0, IFL_BAD_INPUT, "holds no CUDA code");
    assert_says("tests", 0, IFL_BAD_INPUT, "not a regular file");
    assert_says("tests/cubin/none.cubin", 0, IFL_NO_FILE, "cannot open");
}

typedef struct image {
    uint8_t *bytes;
    size_t size;
} image;

static image load(const char *path)
{
    image i;
    char *bytes;
    assert_int_equal(ifl_file_read(path, 1 << 20, &bytes, &i.size, NULL), IFL_OK);
    i.bytes = (uint8_t *)bytes;
    return i;
}

static ifl_status read_bytes(const uint8_t *bytes, size_t size, ifl_error *error)
{
    ifl_machine *machine = ifl_machine_new("a.cubin");
    assert_non_null(machine);
    const ifl_status status = ifl_machine_read_cubin("a.cubin", bytes, size, machine, error);
    assert_true(status == IFL_OK || machine->kernel_count == 0);
    ifl_machine_free(machine);
    return status;
}

/* The place of the header of the section called `name`. */
static uint8_t *section_header(const image *i, const char *name)
{
    ifl_arena arena = {0};
    ifl_elf_image elf;
    uint8_t *found = NULL;
    assert_int_equal(ifl_elf_open("a.cubin", i->bytes, i->size, &arena, &elf, NULL), IFL_OK);
    for (size_t s = 0; s < elf.section_count; s++)
        if (strcmp(elf.sections[s].name, name) == 0)
            found = i->bytes + ifl_elf_read(i->bytes + 0x28, 8) + s * 64; /* e_shoff; ELF-64 */
    ifl_arena_free(&arena);
    assert_non_null(found);
    return found;
}

/* Offsets in Elf64_Shdr. */
enum { SECTION_OFFSET = 0x18, SECTION_SIZE = 0x20 };

static void write_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

static void assert_lie(const char *section, size_t field, uint64_t value, const char *part)
{
    image i = load("tests/cubin/sm_90.cubin");
    ifl_error error = {0};
    write_u64(section_header(&i, section) + field, value);
    assert_int_equal(read_bytes(i.bytes, i.size, &error), IFL_BAD_INPUT);
    if (!strstr(error.text, part))
        fail_msg("%s: %s", section, error.text);
    free(i.bytes);
}

static void sections_that_lie_are_errors(void **state)
{
    (void)state;
    assert_lie(".text.norms", SECTION_SIZE, 1 << 20, "0x100000 bytes from offset 0x");
    assert_lie(".text.norms", SECTION_OFFSET, UINT64_MAX, "from offset 0xffffffffffffffff");
    assert_lie(".text.norms", SECTION_SIZE, 0x18, "which no number of instructions has");
    assert_lie(".text.calls", SECTION_SIZE, 0x10, "more than its section");
    assert_lie(".nv.info.norms", SECTION_SIZE, 0x12, "longer than its section");
    assert_lie(".nv.info", SECTION_SIZE, 2, "an attribute is cut short");
    assert_lie(".debug_line", SECTION_SIZE, 40, "in .debug_line: a unit is longer");
    assert_lie(".debug_str", SECTION_SIZE, 1, "function name lies outside of .debug_str");
}

/* An attribute of .nv.info.norms: EXIT_INSTR_OFFSETS, whose first word is made too large. */
static void exits_behind_the_code_are_errors(void **state)
{
    (void)state;
    image i = load("tests/cubin/sm_90.cubin");
    ifl_error error = {0};
    uint8_t *header = section_header(&i, ".nv.info.norms");
    uint8_t *at = i.bytes + ifl_elf_read(header + SECTION_OFFSET, 8);
    const uint8_t *end = at + ifl_elf_read(header + SECTION_SIZE, 8);
    while (at + 4 < end && !(at[0] == 4 && at[1] == 0x1c))
        at += 4;
    assert_true(at + 4 < end);
    at[6] = 1;
    assert_int_equal(read_bytes(i.bytes, i.size, &error), IFL_BAD_INPUT);
    assert_non_null(strstr(error.text, ".nv.info.norms says that the kernel ends at offset 0x1"));
    free(i.bytes);
}

static void truncated_files_are_errors(void **state)
{
    (void)state;
    static const char *const names[] = {"tests/cubin/sm_90.cubin", "tests/cubin/sm_75.cubin"};
    for (size_t f = 0; f < 2; f++) {
        image i = load(names[f]);
        for (size_t size = 0; size < i.size; size += size < 256 ? 1 : 61) {
            uint8_t *prefix = malloc(size + 1);
            memcpy(prefix, i.bytes, size);
            const uint8_t *exact = size ? prefix : NULL;
            /* What is behind the sections' headers is only for the loader of programs. */
            if (read_bytes(exact, size, NULL) == IFL_OK)
                assert_true(size > ifl_elf_read(i.bytes + 0x28, 8));
            free(prefix);
        }
        free(i.bytes);
    }
}

/* Every byte of the parts that are read, changed in four ways: kernels or an error. */
static void survives_damage(void **state)
{
    (void)state;
    static const char *const names[] = {"tests/cubin/sm_100.cubin",
                                        "tests/cubin/cuda11_sm_80.cubin"};
    for (size_t f = 0; f < 2; f++) {
        unsigned errors = 0;
        image i = load(names[f]);
        for (size_t at = 0; at < i.size; at += 1 + at % 3)
            for (unsigned way = 0; way < 4; way++) {
                const uint8_t changed[] = {0, 0xff, 0x80, (uint8_t)~i.bytes[at]};
                const uint8_t before = i.bytes[at];
                i.bytes[at] = changed[way];
                errors += read_bytes(i.bytes, i.size, NULL) != IFL_OK;
                i.bytes[at] = before;
            }
        assert_true(errors > 100);
        assert_int_equal(read_bytes(i.bytes, i.size, NULL), IFL_OK);
        free(i.bytes);
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

static void rows_are_sorted_with_what_they_are_inlined_at(void **state)
{
    (void)state;
    ifl_line_rows rows = {0};
    assert_true(ifl_vec_push(&rows, (ifl_machine_line){.offset = 32, .line = 1}));
    assert_true(ifl_vec_push(&rows, (ifl_machine_line){.offset = 0, .line = 2, .inlined_at = 1}));
    assert_true(ifl_vec_push(&rows, (ifl_machine_line){.offset = 32, .line = 3, .inlined_at = 2}));
    assert_true(ifl_line_rows_sort(&rows));
    assert_int_equal(rows.at[0].line, 2);
    assert_int_equal(rows.at[0].inlined_at, 2);
    assert_int_equal(rows.at[1].line, 1);
    assert_int_equal(rows.at[2].line, 3);
    assert_int_equal(rows.at[2].inlined_at, 1);
    ifl_vec_free(&rows);
}

static void finds_the_row_of_an_instruction(void **state)
{
    (void)state;
    const ifl_machine_line lines[] = {{.offset = 16, .line = 1},
                                      {.offset = 48, .line = 2},
                                      {.offset = 48, .line = 3},
                                      {.offset = 80, .line = 4}};
    const ifl_machine_kernel k = {.lines = lines, .line_count = 4};
    assert_null(ifl_machine_line_at(&k, 0));
    assert_int_equal(ifl_machine_line_at(&k, 32)->line, 1);
    assert_int_equal(ifl_machine_line_at(&k, 48)->line, 3);
    assert_int_equal(ifl_machine_line_at(&k, 1 << 20)->line, 4);
}

/* Each argument is a pair of the one before it: the signature doubles with each. */
static void long_signatures_stay_mangled(void **state)
{
    (void)state;
    ifl_arena arena = {0};
    char name[512] = "_Z1fSt4pairIiiE";
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < 34; i++) {
        const size_t used = strlen(name);
        snprintf(name + used, sizeof name - used, "S_IS%c_S%c_E", digits[i], digits[i]);
    }
    assert_string_equal(ifl_demangle(&arena, name), name);
    name[strlen("_Z1fSt4pairIiiES_IS0_S0_E")] = '\0';
    assert_string_equal(
        ifl_demangle(&arena, name),
        "f(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)");
    ifl_arena_free(&arena);
}

/* ---- lists ----------------------------------------------------------------------------------- */

/* A list has what the kernels have, but for their code and what stands in it. */
static void a_list_has_figures_without_code(void **state)
{
    (void)state;
    ifl_machine *whole, *list;
    assert_int_equal(ifl_machine_read("tests/cubin/sm_90.cubin", 0, &whole, NULL), IFL_OK);
    assert_int_equal(ifl_machine_list("tests/cubin/sm_90.cubin", 0, &list, NULL), IFL_OK);
    assert_true(list->is_list);
    assert_int_equal(list->kernel_count, whole->kernel_count);
    for (size_t i = 0; i < list->kernel_count; i++) {
        const ifl_machine_kernel *a = &whole->kernels[i], *b = &list->kernels[i];
        assert_string_equal(a->name, b->name);
        assert_string_equal(a->demangled, b->demangled);
        assert_int_equal(a->registers, b->registers);
        assert_int_equal(a->static_shared_bytes, b->static_shared_bytes);
        assert_int_equal(a->code_bytes, b->code_bytes);
        assert_null(b->code);
        assert_int_equal(b->line_count, 0);
    }
    ifl_machine_free(whole);
    ifl_machine_free(list);
}

static void named_kernels_are_read_with_their_cubin(void **state)
{
    (void)state;
    static const char *const names[] = {"norms"}, *const others[] = {"nothing"};
    ifl_machine *machine;
    assert_int_equal(ifl_machine_read_named("tests/cubin/sm_90.cubin", 0, names, 1, &machine, NULL),
                     IFL_OK);
    assert_true(machine->kernel_count > 0);
    assert_non_null(machine->kernels[0].code);
    ifl_machine_free(machine);
    assert_int_equal(
        ifl_machine_read_named("tests/cubin/sm_90.cubin", 0, others, 1, &machine, NULL), IFL_OK);
    assert_int_equal(machine->kernel_count, 0);
    ifl_machine_free(machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_the_resources_that_ptxas_reports),
        cmocka_unit_test(has_the_lines_and_exits_that_nvdisasm_prints),
        cmocka_unit_test(knows_what_is_inlined_where),
        cmocka_unit_test(has_parameters_as_declared),
        cmocka_unit_test(has_bounds_and_memory_as_declared),
        cmocka_unit_test(finds_functions_inside_of_kernels),
        cmocka_unit_test(code_stands_where_it_is_said_to),
        cmocka_unit_test(reads_every_kind_of_file),
        cmocka_unit_test(takes_linked_code_before_objects),
        cmocka_unit_test(lists_targets),
        cmocka_unit_test(a_visitor_can_end_the_reading),
        cmocka_unit_test(cubins_of_one_machine_share_the_files),
        cmocka_unit_test(says_what_a_file_holds_instead),
        cmocka_unit_test(sections_that_lie_are_errors),
        cmocka_unit_test(exits_behind_the_code_are_errors),
        cmocka_unit_test(truncated_files_are_errors),
        cmocka_unit_test(survives_damage),
        cmocka_unit_test(rows_are_sorted_with_what_they_are_inlined_at),
        cmocka_unit_test(finds_the_row_of_an_instruction),
        cmocka_unit_test(long_signatures_stay_mangled),
        cmocka_unit_test(a_list_has_figures_without_code),
        cmocka_unit_test(named_kernels_are_read_with_their_cubin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
