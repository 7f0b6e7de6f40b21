/* SPDX-License-Identifier: Apache-2.0
 * Attributes of .nv.info, a row each. Numbers and layouts as cuobjdump -elf prints them beside the
 * bytes of what ptxas of CUDA 11.8 to 13.0 writes. */
#include "sass/nv_info.h"

#include <inttypes.h>

/* An attribute: u8 format, u8 number, then by format nothing (padded to 4), a byte, a u16, or a
 * u16 that counts the bytes that follow. */
enum { FORMAT_NONE = 1, FORMAT_BYTE = 2, FORMAT_HALF = 3, FORMAT_SIZED = 4, HEADER_BYTES = 4 };

typedef struct attribute {
    uint8_t format, number;
    const uint8_t *value; /* of a byte or half: the two bytes in the header */
    size_t bytes;
    size_t at; /* in the section */
} attribute;

typedef struct reader {
    const ifl_elf_image *image;
    const ifl_elf_section *section;
    size_t at;
    ifl_nv_owner owner; /* NULL: all is about `facts` */
    void *user;
    ifl_nv_facts *facts;
    ifl_error *error;
} reader;

void ifl_nv_facts_free(ifl_nv_facts *facts)
{
    ifl_vec_free(&facts->parameters);
    ifl_vec_free(&facts->exits);
    ifl_vec_free(&facts->jump_targets);
    ifl_vec_free(&facts->externs);
}

static uint32_t half(const attribute *a, size_t offset)
{
    return (uint32_t)ifl_elf_read(a->value + offset, 2);
}

static uint32_t word(const attribute *a, size_t offset)
{
    return (uint32_t)ifl_elf_read(a->value + offset, 4);
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef bool (*taker)(ifl_nv_facts *facts, const attribute *a); /* false: no memory */

static bool take_registers(ifl_nv_facts *facts, const attribute *a)
{
    facts->registers = word(a, 4);
    return true;
}

static bool take_frame(ifl_nv_facts *facts, const attribute *a)
{
    facts->frame_bytes = word(a, 4);
    return true;
}

/* nvlink writes all ones where calls nest to a depth that it does not know; ptxas nothing. */
static bool take_min_stack(ifl_nv_facts *facts, const attribute *a)
{
    facts->min_stack_bytes = word(a, 4) == UINT32_MAX ? 0 : word(a, 4);
    return true;
}

/* .maxntid, and .reqntid, which is a bound as well. */
static bool take_threads(ifl_nv_facts *facts, const attribute *a)
{
    for (size_t i = 0; i < 3; i++)
        facts->max_threads[i] = word(a, 4 * i);
    return true;
}

/* u32 symbol of the constant bank's section, u16 base, u16 bytes. */
static bool take_param_bank(ifl_nv_facts *facts, const attribute *a)
{
    facts->param_base = half(a, 4);
    return true;
}

/* u32 index, u16 ordinal, u16 offset, u32 whose bits 31:18 are the size. */
static bool take_parameter(ifl_nv_facts *facts, const attribute *a)
{
    return ifl_vec_push(&facts->parameters,
                        (ifl_machine_parameter){half(a, 4), half(a, 6), word(a, 8) >> 18});
}

/* Of kernels with more than 4 KiB of parameters: the size is the low half of the third word. */
static bool take_long_parameter(ifl_nv_facts *facts, const attribute *a)
{
    return ifl_vec_push(&facts->parameters,
                        (ifl_machine_parameter){half(a, 4), half(a, 6), half(a, 8)});
}

static bool take_exits(ifl_nv_facts *facts, const attribute *a)
{
    for (size_t i = 0; i < a->bytes / 4; i++)
        if (!ifl_vec_push(&facts->exits, word(a, 4 * i)))
            return false;
    return true;
}

static bool take_externs(ifl_nv_facts *facts, const attribute *a)
{
    for (size_t i = 0; i < a->bytes / 4; i++)
        if (!ifl_vec_push(&facts->externs, word(a, 4 * i)))
            return false;
    return true;
}

/* Of each jump through a register: u32 its offset, u32 0, u32 count, and so many offsets. */
static bool take_jump_targets(ifl_nv_facts *facts, const attribute *a)
{
    enum { WORD = 4, HEADER_WORDS = 3, COUNT_WORD = 2 };
    const size_t words = a->bytes / WORD;
    for (size_t at = 0; at + HEADER_WORDS <= words;) {
        const size_t count = word(a, WORD * (at + COUNT_WORD));
        at += HEADER_WORDS;
        for (size_t i = 0; i < count && at < words; i++, at++)
            if (!ifl_vec_push(&facts->jump_targets, word(a, WORD * at)))
                return false;
    }
    return true;
}

/* Of clusters whose size the kernel gives: blocks in x, y and z. */
static bool take_cluster(ifl_nv_facts *facts, const attribute *a)
{
    for (size_t i = 0; i < 3; i++)
        facts->cluster[i] = word(a, 4 * i);
    return true;
}

static bool take_needs_cluster(ifl_nv_facts *facts, const attribute *a)
{
    (void)a;
    facts->needs_cluster = true;
    return true;
}

static bool take_most_blocks(ifl_nv_facts *facts, const attribute *a)
{
    facts->max_cluster_blocks = word(a, 0);
    return true;
}

static bool take_barriers(ifl_nv_facts *facts, const attribute *a)
{
    facts->barriers = a->value[0];
    return true;
}

typedef struct row {
    uint8_t number;
    bool of_file; /* stands in .nv.info, and its first word is the function's symbol */
    uint8_t format;
    uint8_t bytes; /* at least */
    taker take;
} row;

static const row rows[] = {
    {0x05, false, FORMAT_SIZED, 12, take_threads},        /* EIATTR_MAX_THREADS */
    {0x0a, false, FORMAT_SIZED, 8, take_param_bank},      /* EIATTR_PARAM_CBANK */
    {0x0f, false, FORMAT_SIZED, 0, take_externs},         /* EIATTR_EXTERNS */
    {0x10, false, FORMAT_SIZED, 12, take_threads},        /* EIATTR_REQNTID */
    {0x11, true, FORMAT_SIZED, 8, take_frame},            /* EIATTR_FRAME_SIZE */
    {0x12, true, FORMAT_SIZED, 8, take_min_stack},        /* EIATTR_MIN_STACK_SIZE */
    {0x17, false, FORMAT_SIZED, 12, take_parameter},      /* EIATTR_KPARAM_INFO */
    {0x1c, false, FORMAT_SIZED, 0, take_exits},           /* EIATTR_EXIT_INSTR_OFFSETS */
    {0x2f, true, FORMAT_SIZED, 8, take_registers},        /* EIATTR_REGCOUNT */
    {0x34, false, FORMAT_SIZED, 0, take_jump_targets},    /* EIATTR_INDIRECT_BRANCH_TARGETS */
    {0x3d, false, FORMAT_SIZED, 12, take_cluster},        /* EIATTR_CTA_PER_CLUSTER */
    {0x3e, false, FORMAT_NONE, 0, take_needs_cluster},    /* EIATTR_EXPLICIT_CLUSTER */
    {0x3f, false, FORMAT_SIZED, 4, take_most_blocks},     /* EIATTR_MAX_CLUSTER_RANK */
    {0x45, false, FORMAT_SIZED, 12, take_long_parameter}, /* EIATTR_KPARAM_INFO_V2 */
    {0x4c, false, FORMAT_BYTE, 2, take_barriers},         /* EIATTR_NUM_BARRIERS */
};

static const row *find_row(uint8_t number, bool of_file)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].number == number && rows[i].of_file == of_file)
            return &rows[i];
    return NULL;
}

/* ---- walking --------------------------------------------------------------------------------- */

static ifl_status fail(const reader *r, size_t at, const char *what)
{
    return ifl_fail(r->error, IFL_BAD_INPUT, "'%s' is damaged: at offset 0x%" PRIx64 ", in %s: %s",
                    r->image->file, r->section->offset + at, r->section->name, what);
}

static ifl_status next_attribute(reader *r, attribute *a)
{
    const size_t at = r->at, left = r->section->size - at;
    const uint8_t *bytes = r->section->bytes + at;
    if (left < HEADER_BYTES)
        return fail(r, at, "an attribute is cut short");
    *a = (attribute){bytes[0], bytes[1], bytes + 2, 2, at};
    r->at += HEADER_BYTES;
    if (a->format < FORMAT_NONE || a->format > FORMAT_SIZED)
        return fail(r, at, "an attribute has an unknown format");
    if (a->format != FORMAT_SIZED)
        return IFL_OK;
    a->bytes = (size_t)ifl_elf_read(bytes + 2, 2);
    a->value = bytes + HEADER_BYTES;
    if (a->bytes > left - HEADER_BYTES)
        return fail(r, at, "an attribute says that it is longer than its section");
    r->at += a->bytes;
    return IFL_OK;
}

static ifl_status take(reader *r, const attribute *a)
{
    const row *found = find_row(a->number, r->owner != NULL);
    if (!found)
        return IFL_OK;
    if (a->format != found->format || a->bytes < found->bytes)
        return fail(r, a->at, "an attribute is shorter than its kind");
    ifl_nv_facts *facts = r->owner ? r->owner(r->user, word(a, 0)) : r->facts;
    if (facts && !found->take(facts, a))
        return ifl_fail_memory(r->error, a->bytes);
    return IFL_OK;
}

static ifl_status walk(reader *r)
{
    attribute a;
    while (r->at < r->section->size) {
        ifl_status status = next_attribute(r, &a);
        if (status == IFL_OK)
            status = take(r, &a);
        if (status != IFL_OK)
            return status;
    }
    return IFL_OK;
}

ifl_status ifl_nv_info_read_file(const ifl_elf_image *image, const ifl_elf_section *section,
                                 ifl_nv_owner owner, void *user, ifl_error *error)
{
    reader r = {.image = image, .section = section, .owner = owner, .user = user, .error = error};
    return section->bytes ? walk(&r) : IFL_OK;
}

ifl_status ifl_nv_info_read_kernel(const ifl_elf_image *image, const ifl_elf_section *section,
                                   ifl_nv_facts *facts, ifl_error *error)
{
    reader r = {.image = image, .section = section, .facts = facts, .error = error};
    return section->bytes ? walk(&r) : IFL_OK;
}
