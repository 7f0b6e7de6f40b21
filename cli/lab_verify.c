/* SPDX-License-Identifier: Apache-2.0
 * Compares what a version left in its buffers with the case's reference. The references are found
 * through the linker (lab/lab_reference.h); this file knows nothing of any case. */
#include "lab.h"
#include "lab_reference.h"
#include "terminal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_ARGUMENTS = 256 };

struct ifl_cli_expected {
    size_t count;
    lab_argument arguments[MOST_ARGUMENTS];
};

/* ---- the references -------------------------------------------------------------------------- */

extern const lab_reference *const __start_lab_references[] __attribute__((weak));
extern const lab_reference *const __stop_lab_references[] __attribute__((weak));

static const lab_reference *find_reference(const char *name)
{
    for (const lab_reference *const *r = __start_lab_references; r < __stop_lab_references; r++)
        if (strcmp((*r)->name, name) == 0)
            return *r;
    return NULL;
}

/* A reference that asks for what the case does not have is a mistake in the source tree. */
static const lab_argument *argument_of(const lab_run *run, size_t argument, bool is_buffer)
{
    if (argument < run->argument_count && run->arguments[argument].is_buffer == is_buffer)
        return &run->arguments[argument];
    fprintf(stderr,
            "inflight: error: the reference of version '%s' asks for argument %zu as a %s\n",
            run->version, argument, is_buffer ? "buffer" : "number");
    exit(6);
}

long long lab_integer(const lab_run *run, size_t argument)
{
    const lab_argument *a = argument_of(run, argument, false);
    uint64_t bits = 0;
    memcpy(&bits, a->data, a->bytes < sizeof bits ? a->bytes : sizeof bits);
    const bool is_signed = !a->type || a->type[0] == 'i';
    const unsigned unused = 64 - 8 * (unsigned)(a->bytes < 8 ? a->bytes : 8);
    return is_signed ? (long long)(bits << unused) >> unused : (long long)bits;
}

double lab_real(const lab_run *run, size_t argument)
{
    const lab_argument *a = argument_of(run, argument, false);
    float single;
    double value;
    uint16_t half;
    if (a->type && strcmp(a->type, "f32") == 0)
        return memcpy(&single, a->data, sizeof single), single;
    if (a->type && strcmp(a->type, "f64") == 0)
        return memcpy(&value, a->data, sizeof value), value;
    if (a->type && strstr(a->type, "f16")) {
        memcpy(&half, a->data, sizeof half);
        return a->type[0] == 'b' ? lab_from_bf16(half) : lab_from_f16(half);
    }
    return (double)lab_integer(run, argument);
}

void *lab_data(const lab_run *run, size_t argument)
{
    return argument_of(run, argument, true)->data;
}

size_t lab_count(const lab_run *run, size_t argument)
{
    return argument_of(run, argument, true)->count;
}

typedef struct variables {
    const ifl_lab *lab;
    const ifl_lab_point *point;
} variables;

double lab_variable(const lab_run *run, const char *name)
{
    const variables *v = run->variables;
    double value = 0;
    ifl_error error = {0};
    if (ifl_lab_variable(v->lab, v->point, name, &value, &error) != IFL_OK)
        exit(ifl_cli_fail(&error));
    return value;
}

/* ---- 16-bit numbers -------------------------------------------------------------------------- */

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

float lab_from_bf16(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

uint16_t lab_to_bf16(float value)
{
    const uint32_t bits = bits_of(value);
    if (isnan(value))
        return 0x7fff; /* PTX ISA, cvt: the canonical NaN */
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

float *lab_floats_of_bf16(const lab_run *run, size_t argument)
{
    const uint16_t *from = lab_data(run, argument);
    const size_t count = lab_count(run, argument);
    float *to = malloc(count * sizeof *to);
    for (size_t i = 0; to && i < count; i++)
        to[i] = lab_from_bf16(from[i]);
    return to;
}

float lab_from_f16(uint16_t bits)
{
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                  : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
                                 : ldexpf((float)fraction, -24);
    return bits & 0x8000 ? -value : value;
}

uint16_t lab_to_f16(float value)
{
    const uint16_t sign = signbit(value) ? 0x8000 : 0;
    const float size = fabsf(value);
    if (isnan(value))
        return 0x7fff;
    if (size >= 65520.0f)
        return sign | 0x7c00;
    int exponent = size > 0 ? ilogbf(size) : -15;
    exponent = exponent < -14 ? -14 : exponent;
    /* In units of the last place; a carry out of the fraction counts up the exponent by itself. */
    const float places = nearbyintf(ldexpf(size, 10 - exponent));
    return sign | (uint16_t)(((uint32_t)(exponent + 14) << 10) + (uint32_t)places);
}

/* ---- many bytes ------------------------------------------------------------------------------ */

enum { PIECE_BYTES = 1 << 20 };

static size_t piece_at(size_t at, size_t bytes)
{
    return bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
}

static void copy_bytes(char *to, const char *from, size_t bytes)
{
#pragma omp parallel for if (bytes > PIECE_BYTES)
    for (size_t at = 0; at < bytes; at += PIECE_BYTES)
        memcpy(to + at, from + at, piece_at(at, bytes));
}

static bool equal_bytes(const char *one, const char *other, size_t bytes)
{
    bool equal = true;
#pragma omp parallel for reduction(&& : equal) if (bytes > PIECE_BYTES)
    for (size_t at = 0; at < bytes; at += PIECE_BYTES)
        equal = equal && memcmp(one + at, other + at, piece_at(at, bytes)) == 0;
    return equal;
}

/* Threads of a parallel loop that wait for others spin, and take the cores from the engine: for milliseconds, unless they
 * are more than there are cores. Then OpenMP's runtimes have them sleep soon (libgomp after 1,000 rounds, not 300,000). */
static void wait_without_spinning(void)
{
#ifdef _OPENMP
    omp_set_num_threads(2 * omp_get_num_procs());
#endif
}

/* ---- what is expected ------------------------------------------------------------------------ */

static size_t element_bytes(const char *type)
{
    const char *digits = type ? type + strcspn(type, "0123456789") : "8";
    return (size_t)strtoul(digits, NULL, 10) / 8;
}

void ifl_cli_lab_expected_free(ifl_cli_expected *expected)
{
    for (size_t i = 0; expected && i < expected->count; i++)
        if (expected->arguments[i].same == i)
            free(expected->arguments[i].data);
    free(expected);
}

static ifl_status copy_argument(ifl_cli_expected *e, ifl_launch *launch, size_t index,
                                ifl_error *error)
{
    ifl_launch_argument_info info;
    const ifl_status status = ifl_launch_argument_at(launch, index, &info, error);
    if (status != IFL_OK)
        return status;
    lab_argument *a = &e->arguments[index];
    *a = (lab_argument){info.type, info.is_buffer, NULL, 1, info.bytes, info.same};
    if (a->is_buffer)
        a->count = a->bytes / element_bytes(a->type);
    if (a->same != index) {
        a->data = e->arguments[a->same].data;
    } else {
        a->data = malloc(a->bytes + sizeof(uint64_t));
        if (!a->data)
            return ifl_cli_error(error, IFL_NO_MEMORY, "no memory for %zu bytes of a reference",
                                 a->bytes);
        copy_bytes(a->data, info.data, a->bytes);
    }
    e->count++;
    return IFL_OK;
}

static ifl_status copy_all(ifl_cli_expected *e, ifl_launch *launch, ifl_error *error)
{
    const size_t count = ifl_launch_argument_count(launch);
    if (count > MOST_ARGUMENTS)
        return ifl_cli_error(error, IFL_UNSUPPORTED, "more than %d arguments", MOST_ARGUMENTS);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = copy_argument(e, launch, i, error);
    return status;
}

static void compute(const ifl_lab *lab, const ifl_lab_point *point, const lab_reference *reference,
                    const ifl_launch *launch, ifl_cli_expected *e)
{
    const variables v = {lab, point};
    lab_run run = {.version = ifl_lab_version_name(lab, point->version),
                   .argument_count = e->count,
                   .arguments = e->arguments,
                   .variables = &v};
    ifl_launch_shape(launch, run.grid, run.block);
    reference->compute(&run);
}

ifl_status ifl_cli_lab_expect(const ifl_lab *lab, const ifl_lab_point *point, ifl_launch *launch,
                              ifl_cli_expected **out, ifl_error *error)
{
    const char *name = ifl_lab_text(lab, point->version, "reference");
    const lab_reference *reference = name ? find_reference(name) : NULL;
    *out = NULL;
    if (!name)
        return IFL_OK;
    if (!reference)
        return ifl_cli_error(error, IFL_UNSUPPORTED,
                             "this program has no reference '%s' (LAB_REFERENCE in lab/%s)", name,
                             ifl_lab_name(lab));
    ifl_cli_expected *e = calloc(1, sizeof *e);
    if (!e)
        return ifl_cli_error(error, IFL_NO_MEMORY, "out of memory");
    wait_without_spinning();
    const ifl_status status = copy_all(e, launch, error);
    if (status != IFL_OK) {
        ifl_cli_lab_expected_free(e);
        return status;
    }
    compute(lab, point, reference, launch, e);
    *out = e;
    return IFL_OK;
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Elements of a buffer that was moved off its alignment may stand at any address. */
static double real_at(const char *type, const void *data, size_t index)
{
    float single;
    double value;
    uint16_t half;
    if (strcmp(type, "f32") == 0)
        return memcpy(&single, (const char *)data + index * sizeof single, sizeof single), single;
    if (strcmp(type, "f64") == 0)
        return memcpy(&value, (const char *)data + index * sizeof value, sizeof value), value;
    memcpy(&half, (const char *)data + index * sizeof half, sizeof half);
    return type[0] == 'b' ? lab_from_bf16(half) : lab_from_f16(half);
}

static bool is_real(const char *type)
{
    return type && strchr(type, 'f');
}

static bool is_close(double got, double wanted, double tolerance)
{
    const double size = fabs(wanted) > 1 ? fabs(wanted) : 1;
    return got == wanted || (isnan(got) && isnan(wanted)) || fabs(got - wanted) <= tolerance * size;
}

static bool element_differs(const lab_argument *a, const void *got, size_t index, double tolerance)
{
    const size_t bytes = element_bytes(a->type);
    const char *wanted = (const char *)a->data + index * bytes;
    if (memcmp(wanted, (const char *)got + index * bytes, bytes) == 0)
        return false;
    if (!is_real(a->type) || tolerance <= 0)
        return true;
    return !is_close(real_at(a->type, got, index), real_at(a->type, a->data, index), tolerance);
}

static void print_element(const lab_argument *a, const void *data, size_t index, char *to,
                          size_t size)
{
    uint64_t bits = 0;
    const size_t bytes = element_bytes(a->type);
    if (is_real(a->type)) {
        snprintf(to, size, "%.9g", real_at(a->type, data, index));
        return;
    }
    memcpy(&bits, (const char *)data + index * bytes, bytes);
    const unsigned unused = 64 - 8 * (unsigned)bytes;
    if (a->type && a->type[0] == 'i')
        snprintf(to, size, "%lld", (long long)(bits << unused) >> unused);
    else
        snprintf(to, size, "%llu", (unsigned long long)bits);
}

static bool buffers_equal(const lab_argument *a, size_t index, const void *got, double tolerance,
                          char *text, size_t size)
{
    size_t different = 0, first = 0;
    char wanted_text[40], got_text[40];
    if (equal_bytes(a->data, got, a->bytes))
        return true;
    for (size_t i = 0; i < a->count; i++)
        if (element_differs(a, got, i, tolerance) && different++ == 0)
            first = i;
    if (!different)
        return true;
    print_element(a, a->data, first, wanted_text, sizeof wanted_text);
    print_element(a, got, first, got_text, sizeof got_text);
    snprintf(text, size, "argument %zu, element %zu is %s, expected %s; %zu of %zu differ", index,
             first, got_text, wanted_text, different, a->count);
    return false;
}

static ifl_status tolerance_of(const ifl_lab *lab, const ifl_lab_point *point, size_t index,
                               double *tolerance, ifl_error *error)
{
    char key[48];
    bool found;
    *tolerance = 0;
    snprintf(key, sizeof key, "arg.%zu.tolerance", index);
    ifl_status status = ifl_lab_number(lab, point, key, tolerance, &found, error);
    if (status == IFL_OK && !found)
        status = ifl_lab_number(lab, point, "tolerance", tolerance, &found, error);
    return status;
}

ifl_status ifl_cli_lab_compare(const ifl_lab *lab, const ifl_lab_point *point,
                               const ifl_cli_expected *expected, ifl_launch *launch, bool *right,
                               char *text, size_t size, ifl_error *error)
{
    ifl_status status = IFL_OK;
    *right = true;
    for (size_t i = 0; i < expected->count && *right && status == IFL_OK; i++) {
        ifl_launch_argument_info info;
        double tolerance;
        if (!expected->arguments[i].is_buffer)
            continue;
        status = ifl_launch_argument_at(launch, i, &info, error);
        if (status == IFL_OK)
            status = tolerance_of(lab, point, i, &tolerance, error);
        if (status == IFL_OK)
            *right = buffers_equal(&expected->arguments[i], i, info.data, tolerance, text, size);
    }
    return status;
}
