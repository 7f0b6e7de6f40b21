/* SPDX-License-Identifier: Apache-2.0
 * See one_access.h. */
#include "one_access.h"

#include "session/module.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what there is --------------------------------------------------------------------------- */

static unsigned bytes_of(const access *a)
{
    return a->element_bytes * a->elements;
}

static bool is_size(const access *a)
{
    const unsigned e = a->element_bytes, bytes = bytes_of(a);
    const bool is_power = e && !(e & (e - 1)) && e <= 16 && bytes <= 16;
    switch (a->kind) {
    case LOADS:
    case STORES:
        return is_power && (e < 16) && (a->elements == 1 || a->elements == 2 || a->elements == 4);
    case COPIES_TO:
    case COPIES_FROM:
        return a->elements == 1 && (e == 4 || e == 8 || e == 16);
    default:
        return a->elements == 1 && (e == 4 || e == 8);
    }
}

/* PTX ISA: constants are loaded; atomics are of global and shared memory; cp.async goes from global
 * to shared. */
static bool is_place(const access *a)
{
    switch (a->kind) {
    case LOADS:
        return true;
    case STORES:
        return a->space != IN_CONST;
    case COPIES_TO:
        return a->space == IN_SHARED;
    case COPIES_FROM:
        return a->space == IN_GLOBAL;
    default:
        return a->space == IN_GLOBAL || a->space == IN_SHARED || a->space == GENERIC_GLOBAL ||
               a->space == GENERIC_SHARED;
    }
}

/* Addresses of 32 bits are those of shared and local memory; a kernel's buffer and generic
 * addresses have no name. */
static bool is_form(const access *a)
{
    const bool is_near = a->space == IN_SHARED || a->space == IN_LOCAL;
    const bool has_name = is_near || a->space == IN_CONST;
    return a->form == IN_64_BITS || (a->form == IN_32_BITS && is_near) ||
           (a->form == BY_NAME && has_name && !a->base && !a->step);
}

bool access_is_one(const access *a)
{
    return a->space < ACCESS_SPACES && a->kind < ACCESS_KINDS && a->form < ACCESS_FORMS &&
           a->threads && a->threads <= 32 && is_size(a) && is_place(a) && is_form(a);
}

/* ---- as a kernel ----------------------------------------------------------------------------- */

static const char *space_word(const access *a)
{
    static const char *const words[ACCESS_SPACES] = {[IN_GLOBAL] = ".global",
                                                     [IN_SHARED] = ".shared",
                                                     [IN_LOCAL] = ".local",
                                                     [IN_CONST] = ".const"};
    return words[a->space] ? words[a->space] : "";
}

/* The start of the memory in %rd7. */
static const char *start_of(const access *a)
{
    static const char *const lines[ACCESS_SPACES] = {
        [IN_GLOBAL] = "cvta.to.global.u64 %rd7, %rd1;",
        [IN_SHARED] = "mov.u64 %rd7, s;",
        [IN_LOCAL] = "mov.u64 %rd7, l;",
        [IN_CONST] = "mov.u64 %rd7, c;",
        [GENERIC_GLOBAL] = "mov.u64 %rd7, %rd1;",
        [GENERIC_SHARED] = "mov.u64 %rd6, s; cvta.shared.u64 %rd7, %rd6;",
        [GENERIC_LOCAL] = "mov.u64 %rd6, l; cvta.local.u64 %rd7, %rd6;",
    };
    return lines[a->space];
}

static void write_address(const access *a, char *to, size_t size)
{
    static const char *const names[ACCESS_SPACES] = {
        [IN_SHARED] = "s", [IN_LOCAL] = "l", [IN_CONST] = "c"};
    const char *from = a->form == BY_NAME      ? names[a->space]
                       : a->form == IN_32_BITS ? "%r2"
                                               : "%rd8";
    snprintf(to, size, "[%s%+d]", from, (int)a->folded);
}

/* "%v1", or "{%v1, %v2, %v3, %v4}"; values of 8 and 16 bits stand in registers of 16. */
static void write_values(const access *a, char *to, size_t size)
{
    const char *prefix = a->element_bytes <= 2 ? "%h" : a->element_bytes == 4 ? "%r" : "%rd";
    const char *forms[] = {"", "%s11", "{%s11, %s12}", "", "{%s11, %s12, %s13, %s14}"};
    snprintf(to, size, forms[a->elements], prefix, prefix, prefix, prefix);
}

static void write_operation(const access *a, char *to, size_t size)
{
    char address[64], values[64];
    const unsigned bits = 8 * a->element_bytes;
    const char *space = space_word(a), *vector = a->elements == 1   ? ""
                                                 : a->elements == 2 ? ".v2"
                                                                    : ".v4";
    const char *type = a->element_bytes == 8 ? "%rd" : "%r";
    write_address(a, address, sizeof address);
    write_values(a, values, sizeof values);
    switch (a->kind) {
    case LOADS:
        snprintf(to, size, "ld%s%s.b%u %s, %s;", space, vector, bits, values, address);
        break;
    case STORES:
        snprintf(to, size, "st%s%s.b%u %s, %s;", space, vector, bits, address, values);
        break;
    case ADDS:
        snprintf(to, size, "atom%s.add.u%u %s11, %s, %s12;", space, bits, type, address, type);
        break;
    case REDUCES:
        snprintf(to, size, "red%s.add.u%u %s, %s11;", space, bits, address, type);
        break;
    case SWAPS:
        snprintf(to, size, "atom%s.cas.b%u %s11, %s, %s12, %s13;", space, bits, type, address, type,
                 type);
        break;
    case COPIES_TO:
        snprintf(to, size, "cp.async.ca.shared.global %s, [%%rd9], %u; cp.async.wait_all;", address,
                 a->element_bytes);
        break;
    default:
        snprintf(to, size, "cp.async.ca.shared.global [s], %s, %u; cp.async.wait_all;", address,
                 a->element_bytes);
    }
}

void access_write(const access *a, char *text, size_t size)
{
    char operation[256];
    write_operation(a, operation, sizeof operation);
    snprintf(
        text, size,
        ".version 8.5\n.target sm_90\n.address_size 64\n"
        ".const .align 256 .b8 c[%d];\n"
        ".visible .entry k(.param .u64 buffer, .param .u64 base, .param .u64 step)\n{\n"
        "  .reg .b16 %%h<16>; .reg .b32 %%r<16>; .reg .b64 %%rd<16>;\n"
        "  .shared .align 256 .b8 s[%d]; .local .align 256 .b8 l[%d];\n"
        "  ld.param.u64 %%rd1, [buffer]; ld.param.u64 %%rd2, [base]; ld.param.u64 %%rd3, [step];\n"
        "  mov.u32 %%r1, %%tid.x; cvt.u64.u32 %%rd4, %%r1; mul.lo.u64 %%rd5, %%rd3, %%rd4;\n"
        "  %s\n"
        "  add.u64 %%rd8, %%rd7, %%rd2; add.u64 %%rd8, %%rd8, %%rd5; cvt.u32.u64 %%r2, %%rd8;\n"
        "  cvta.to.global.u64 %%rd9, %%rd1;\n"
        "  %s\n  ret;\n}\n",
        ROOM_BYTES, ROOM_BYTES, ROOM_BYTES, start_of(a), operation);
}

/* ---- whether it is right --------------------------------------------------------------------- */

/* Of one lane, from the start of the memory, which is aligned to 256. */
static access_verdict judge_lane(const access *a, unsigned lane)
{
    uint64_t at = a->base + a->step * lane + (uint64_t)(int64_t)a->folded;
    const unsigned bytes = bytes_of(a);
    const bool is_near = a->space == IN_SHARED || a->space == IN_LOCAL;
    if (a->form == IN_32_BITS)
        at = (uint32_t)at;
    if (at <= ROOM_BYTES - bytes && at % bytes == 0)
        return INSIDE;
    const uint32_t cut = (uint32_t)at;
    return is_near && cut <= ROOM_BYTES - bytes && cut % bytes == 0 ? UNSPECIFIED : OUTSIDE;
}

access_verdict access_judge(const access *a)
{
    access_verdict all = INSIDE;
    for (unsigned lane = 0; lane < a->threads; lane++) {
        const access_verdict one = judge_lane(a, lane);
        if (one == OUTSIDE)
            return OUTSIDE;
        all = one == UNSPECIFIED ? UNSPECIFIED : all;
    }
    return all;
}

/* ---- running --------------------------------------------------------------------------------- */

struct access_kernel {
    ifl_module *module;
};

static bool fail(const ifl_error *error, char *why, size_t size)
{
    snprintf(why, size, "%s:%d:%d: %s", error->file, error->line, error->column, error->text);
    return false;
}

access_kernel *access_open(const access *a, char *why, size_t size)
{
    char text[2048];
    ifl_error error = {0};
    access_kernel *kernel = calloc(1, sizeof *kernel);
    access_write(a, text, sizeof text);
    if (kernel && ifl_module_open_bytes("access.ptx", text, strlen(text), 90, false,
                                        &kernel->module, &error) == IFL_OK)
        return kernel;
    fail(&error, why, size);
    free(kernel);
    return NULL;
}

void access_close(access_kernel *kernel)
{
    ifl_module_close(kernel->module);
    free(kernel);
}

static ifl_status set_number(ifl_launch *launch, const char *key, const char *form, uint64_t number,
                             ifl_error *error)
{
    char word[64];
    snprintf(word, sizeof word, form, (unsigned long long)number);
    return ifl_launch_set(launch, key, word, error);
}

static ifl_status set_launch(ifl_launch *launch, const access *a, ifl_error *error)
{
    ifl_status status = ifl_launch_set(launch, "grid", "1", error);
    if (status == IFL_OK)
        status = set_number(launch, "block", "%llu", a->threads, error);
    if (status == IFL_OK)
        status = set_number(launch, "arg", "u8x%llu=zero", ROOM_BYTES, error);
    if (status == IFL_OK)
        status = set_number(launch, "arg", "u64:%llu", a->base, error);
    return status == IFL_OK ? set_number(launch, "arg", "u64:%llu", a->step, error) : status;
}

bool access_run_in(access_kernel *kernel, const access *a, const char *width, bool *is_finding,
                   char *why, size_t size)
{
    const ifl_run_options options = {.threads = 1, .vector_width = width};
    ifl_launch *launch = NULL;
    ifl_profile *profile = NULL;
    ifl_error error = {0};
    ifl_status status = ifl_launch_new(kernel->module, "k", &launch, &error);
    if (status == IFL_OK)
        status = set_launch(launch, a, &error);
    if (status == IFL_OK)
        status = ifl_launch_run(launch, &options, &profile, &error);
    ifl_profile_free(profile);
    ifl_launch_free(launch);
    *is_finding = status == IFL_FINDING;
    return status == IFL_OK || status == IFL_FINDING || fail(&error, why, size);
}

bool access_run(const access *a, const char *width, bool *is_finding, char *why, size_t size)
{
    access_kernel *kernel = access_open(a, why, size);
    const bool is_run = kernel && access_run_in(kernel, a, width, is_finding, why, size);
    if (kernel)
        access_close(kernel);
    return is_run;
}
