/* SPDX-License-Identifier: Apache-2.0
 * Reads device descriptions: `key = value unit # source` lines, checked against the field table. */
#include "device/device.h"

#include "base/file.h"
#include "base/keyfile.h"
#include "base/utf8.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const ifl_field_info fields[] = {
#define FIELD(name, unit, least, most, needed, doc) {#name, unit, least, most, needed, doc},
#include "device/field.def"
#undef FIELD
};

const ifl_field_info *ifl_field_get(ifl_device_field field)
{
    return &fields[field];
}

static ifl_device_field find_field(ifl_span key)
{
    for (int f = 0; f < IFL_DEVICE_FIELDS; f++)
        if (ifl_span_is(key, fields[f].name))
            return (ifl_device_field)f;
    return IFL_DEVICE_FIELDS;
}

/* ---- one line -------------------------------------------------------------------------------- */

typedef struct reading {
    ifl_keyfile file;
    ifl_device *device;
    bool seen[IFL_DEVICE_FIELDS]; /* in this file */
    bool is_limits;
} reading;

static ifl_status fail(const reading *r, const ifl_keyfile_entry *entry, ifl_error *error,
                       const char *what, const char *name)
{
    ifl_place place = ifl_keyfile_place(&r->file, entry, 0);
    return ifl_fail_at(error, IFL_BAD_INPUT, &place, "%s%s", what, name);
}

/* "132 SMs": the number, and behind it the field's unit and nothing else. */
static ifl_status read_number(const reading *r, const ifl_keyfile_entry *entry,
                              const ifl_field_info *info, double *value, ifl_error *error)
{
    char text[64], *end;
    if (entry->value.length >= sizeof text)
        return fail(r, entry, error, "expected a number for ", info->name);
    memcpy(text, entry->value.at, entry->value.length);
    text[entry->value.length] = '\0';
    *value = strtod(text, &end);
    if (end == text)
        return fail(r, entry, error, "expected a number for ", info->name);
    end += strspn(end, " \t");
    if (strcmp(end, info->unit) != 0)
        return fail(r, entry, error, *info->unit ? "the unit must be " : "no unit follows ",
                    *info->unit ? info->unit : info->name);
    if (!(*value >= info->least && *value <= info->most)) {
        ifl_place place = ifl_keyfile_place(&r->file, entry, 0);
        return ifl_fail_at(error, IFL_BAD_INPUT, &place,
                           "%s is out of range: it lies between %g and %g %s", info->name,
                           info->least, info->most, info->unit);
    }
    return IFL_OK;
}

static ifl_status take_field(reading *r, const ifl_keyfile_entry *entry, ifl_error *error)
{
    ifl_device_field field = find_field(entry->key);
    if (field == IFL_DEVICE_FIELDS)
        return ifl_keyfile_fail_key(&r->file, entry, error,
                                    "unknown key '%.*s'; 'inflight devices --fields' lists them",
                                    (int)entry->key.length, entry->key.at);
    if (r->seen[field])
        return fail(r, entry, error, "a second value for ", fields[field].name);
    if (!entry->comment.length)
        return fail(r, entry, error, "expected a source, after a #, for ", fields[field].name);
    double value = 0;
    ifl_status status = read_number(r, entry, &fields[field], &value, error);
    if (status != IFL_OK)
        return status;
    r->seen[field] = true;
    /* What the device's own file says goes before its limits, wherever their line stands. */
    if (r->is_limits && r->device->known[field])
        return IFL_OK;
    r->device->value[field] = value;
    r->device->known[field] = true;
    r->device->source[field] =
        ifl_arena_text(&r->device->arena, entry->comment.at, entry->comment.length);
    return r->device->source[field] ? IFL_OK : ifl_fail_memory(error, entry->comment.length);
}

static ifl_status read_text(ifl_device *device, const char *file, const char *text, size_t bytes,
                            bool is_limits, ifl_error *error);

static ifl_status take_limits(reading *r, const ifl_keyfile_entry *entry, ifl_error *error)
{
    if (r->is_limits)
        return fail(r, entry, error, "limits name no further limits", "");
    for (size_t i = 0; i < ifl_device_text_count; i++) {
        const ifl_device_text *t = &ifl_device_texts[i];
        const char *ending = strrchr(t->name, '.');
        size_t stem = (size_t)(ending - t->name);
        if (strcmp(ending, ".limits") == 0 && stem == entry->value.length &&
            memcmp(t->name, entry->value.at, stem) == 0)
            return read_text(r->device, t->name, t->text, strlen(t->text), true, error);
    }
    return fail(r, entry, error,
                "there are no such limits; expected a compute capability, like cc_9.0", "");
}

static ifl_status take_entry(reading *r, const ifl_keyfile_entry *entry, ifl_error *error)
{
    if (ifl_span_is(entry->key, "limits"))
        return take_limits(r, entry, error);
    if (!ifl_span_is(entry->key, "name"))
        return take_field(r, entry, error);
    r->device->name = ifl_arena_text(&r->device->arena, entry->value.at, entry->value.length);
    return r->device->name ? IFL_OK : ifl_fail_memory(error, entry->value.length);
}

static ifl_status read_text(ifl_device *device, const char *file, const char *text, size_t bytes,
                            bool is_limits, ifl_error *error)
{
    reading r = {.device = device, .is_limits = is_limits};
    ifl_keyfile_start(&r.file, file, text, bytes);
    for (bool found = true;;) {
        ifl_keyfile_entry entry;
        ifl_status status = ifl_keyfile_next(&r.file, &entry, &found, error);
        if (status != IFL_OK || !found)
            return status;
        status = take_entry(&r, &entry, error);
        if (status != IFL_OK)
            return status;
    }
}

/* ---- a device -------------------------------------------------------------------------------- */

static ifl_status check_complete(const ifl_device *device, const char *file, ifl_error *error)
{
    ifl_place place = {.file = file};
    if (!device->name)
        return ifl_fail_at(error, IFL_BAD_INPUT, &place, "the GPU has no 'name = ...' line");
    for (int f = 0; f < IFL_DEVICE_FIELDS; f++)
        if (fields[f].needed && !device->known[f])
            return ifl_fail_at(error, IFL_BAD_INPUT, &place, "%s is missing (%s)", fields[f].name,
                               fields[f].doc);
    return IFL_OK;
}

ifl_status ifl_device_parse(const char *file, const char *id, const char *text, size_t bytes,
                            ifl_device **out, ifl_error *error)
{
    *out = NULL;
    ifl_device *device = calloc(1, sizeof *device);
    if (!device)
        return ifl_fail_memory(error, sizeof *device);
    device->id = ifl_utf8_copy(&device->arena, id);
    ifl_status status = device->id ? read_text(device, file, text, bytes, false, error)
                                   : ifl_fail_memory(error, strlen(id));
    if (status == IFL_OK)
        status = check_complete(device, file, error);
    if (status != IFL_OK) {
        ifl_device_close(device);
        return status;
    }
    *out = device;
    return IFL_OK;
}

void ifl_device_close(ifl_device *device)
{
    if (!device)
        return;
    ifl_arena_free(&device->arena);
    free(device);
}

/* ---- what was measured ----------------------------------------------------------------------- */

bool ifl_device_is_unmeasured(const ifl_device *device, ifl_device_field field)
{
    static const char mark[] = "unmeasured";
    const char *source = device->source[field];
    return device->known[field] && source && strncmp(source, mark, sizeof mark - 1) == 0;
}

size_t ifl_device_unmeasured(const ifl_device *device, ifl_device_field to[IFL_DEVICE_RATES])
{
    static const struct {
        ifl_device_field field, instead; /* what goes before it where it is known */
    } rates[IFL_DEVICE_RATES] = {
        {IFL_DEVICE_l1_latency_cycles, IFL_DEVICE_FIELDS},
        {IFL_DEVICE_l2_latency_cycles, IFL_DEVICE_FIELDS},
        {IFL_DEVICE_dram_latency_cycles, IFL_DEVICE_dram_latency_ns},
        {IFL_DEVICE_l1_bytes_per_cycle_per_sm, IFL_DEVICE_FIELDS},
        {IFL_DEVICE_l2_bytes_per_cycle_per_sm, IFL_DEVICE_l2_bytes_per_s},
        {IFL_DEVICE_dram_triad_fraction, IFL_DEVICE_FIELDS},
    };
    size_t count = 0;
    for (size_t i = 0; i < IFL_DEVICE_RATES; i++) {
        const ifl_device_field instead = rates[i].instead;
        if (ifl_device_is_unmeasured(device, rates[i].field) &&
            (instead == IFL_DEVICE_FIELDS || !device->known[instead]))
            to[count++] = rates[i].field;
    }
    return count;
}

/* ---- facts of its own ------------------------------------------------------------------------ */

ifl_arch ifl_device_arch(const ifl_device *device)
{
    ifl_arch arch = ifl_arch_of(device->value[IFL_DEVICE_compute_capability]);
#define OWN_FACT(name, use)                                                                        \
    if (device->known[IFL_DEVICE_##name])                                                          \
        arch.name = device->value[IFL_DEVICE_##name];
#include "device/own_fact.def"
    return arch;
}

size_t ifl_device_lacking(const ifl_device *device, ifl_own_use use, const char **names,
                          size_t most)
{
    static const struct {
        ifl_device_field field;
        ifl_own_use use;
    } facts[] = {
#define OWN_FACT(name, use) {IFL_DEVICE_##name, IFL_OWN_##use},
#include "device/own_fact.def"
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && count < most; i++)
        if (facts[i].use == use &&
            (!device->known[facts[i].field] || ifl_device_is_unmeasured(device, facts[i].field)))
            names[count++] = fields[facts[i].field].name;
    return count;
}

const char *ifl_own_use_text(ifl_own_use use)
{
    static const char *const texts[] = {
#define OWN_USE(name, what) what,
#include "device/own_fact.def"
    };
    return texts[use];
}

/* ---- by name --------------------------------------------------------------------------------- */

static bool is_gpu(const ifl_device_text *text)
{
    const char *ending = strrchr(text->name, '.');
    return ending && strcmp(ending, ".gpu") == 0;
}

const char *ifl_device_id(size_t index)
{
    for (size_t i = 0; i < ifl_device_text_count; i++)
        if (is_gpu(&ifl_device_texts[i]) && index-- == 0)
            return ifl_device_texts[i].name;
    return NULL;
}

static void strip_ending(const char *path, char *id, size_t size)
{
    const char *slash = strrchr(path, '/');
    snprintf(id, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(id, '.');
    if (dot)
        *dot = '\0';
}

static ifl_status open_file(const char *path, ifl_device **out, ifl_error *error)
{
    enum { LIMIT = 1 << 20 };
    char *text, id[128];
    size_t bytes;
    ifl_status status = ifl_file_read(path, LIMIT, &text, &bytes, error);
    if (status != IFL_OK)
        return status;
    strip_ending(path, id, sizeof id);
    status = ifl_device_parse(path, id, text, bytes, out, error);
    free(text);
    return status;
}

/* A user's own description, in the folder that the XDG Base Directory Specification gives
 * programs. */
static bool user_file(const char *name, char *path, size_t size)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (config && *config)
        snprintf(path, size, "%s/inflight/devices/%s.gpu", config, name);
    else
        snprintf(path, size, "%s/.config/inflight/devices/%s.gpu", home ? home : "", name);
    FILE *file = fopen(path, "r");
    if (file)
        fclose(file);
    return file != NULL;
}

/* Letters and digits only, in lower case: "RTX 4090", "rtx4090" and "rtx-4090" are one name. */
static void plain_name(const char *name, char *to, size_t size)
{
    size_t length = 0;
    for (; *name && length + 1 < size; name++)
        if (isalnum((unsigned char)*name))
            to[length++] = (char)tolower((unsigned char)*name);
    to[length] = '\0';
}

/* ": is it a100-40 or a100-80?": the GPUs whose name contains what was asked for. */
static void similar_names(const char *name, char *to, size_t size)
{
    enum { MOST = 6 };
    char asked[64], id[64], plain[64];
    const char *similar[MOST];
    size_t count = 0, length = 0;
    plain_name(name, asked, sizeof asked);
    *to = '\0';
    for (size_t i = 0; *asked && ifl_device_id(i); i++) {
        strip_ending(ifl_device_id(i), id, sizeof id);
        plain_name(id, plain, sizeof plain);
        if (strstr(plain, asked) && count++ < MOST)
            similar[count - 1] = ifl_device_id(i);
    }
    for (size_t i = 0; count <= MOST && i < count && length < size; i++) {
        strip_ending(similar[i], id, sizeof id);
        length += (size_t)snprintf(to + length, size - length, "%s%s",
                                   i == 0           ? ": is it "
                                   : i + 1 == count ? " or "
                                                    : ", ",
                                   id);
    }
    if (length && length + 1 < size)
        strcpy(to + length, "?");
}

static ifl_status fail_unknown(const char *name, ifl_error *error)
{
    char similar[256];
    similar_names(name, similar, sizeof similar);
    return ifl_fail(error, IFL_USAGE,
                    "unknown GPU '%s'%s\n'inflight devices' lists the known GPUs; a description of "
                    "your own is named as PATH.gpu",
                    name, similar);
}

/* Another clock than the description's. Times that were measured stay those of the clock they were
 * measured at. */
static ifl_status set_clock(ifl_device *device, const char *name, double hz, ifl_error *error)
{
    const ifl_field_info *info = &fields[IFL_DEVICE_clock_hz];
    if (!(hz >= info->least && hz <= info->most))
        return ifl_fail(error, IFL_USAGE, "'%s': an SM clock lies between %g and %g MHz", name,
                        info->least / 1e6, info->most / 1e6);
    if (!device->known[IFL_DEVICE_latency_clock_hz]) {
        device->value[IFL_DEVICE_latency_clock_hz] = device->value[IFL_DEVICE_clock_hz];
        device->known[IFL_DEVICE_latency_clock_hz] = true;
        device->source[IFL_DEVICE_latency_clock_hz] = device->source[IFL_DEVICE_clock_hz];
    }
    device->value[IFL_DEVICE_clock_hz] = hz;
    device->source[IFL_DEVICE_clock_hz] = "as asked for";
    device->id = ifl_utf8_copy(&device->arena, name);
    device->name = device->id;
    return device->id ? IFL_OK : ifl_fail_memory(error, strlen(name));
}

static ifl_status open_named(const char *name, ifl_device **out, ifl_error *error)
{
    char path[4096];
    size_t length = strlen(name);
    if (strchr(name, '/') || (length > 4 && strcmp(name + length - 4, ".gpu") == 0))
        return open_file(name, out, error);
    if (user_file(name, path, sizeof path))
        return open_file(path, out, error);
    char asked[64], id[64], plain[64];
    plain_name(name, asked, sizeof asked);
    for (size_t i = 0; i < ifl_device_text_count; i++) {
        const ifl_device_text *t = &ifl_device_texts[i];
        strip_ending(t->name, id, sizeof id);
        plain_name(id, plain, sizeof plain);
        if (is_gpu(t) && strcmp(plain, asked) == 0)
            return ifl_device_parse(t->name, id, t->text, strlen(t->text), out, error);
    }
    return fail_unknown(name, error);
}

ifl_status ifl_device_open(const char *name, ifl_device **out, ifl_error *error)
{
    char plain[256], *end;
    const char *at = strrchr(name, '@');
    const double mhz = at ? strtod(at + 1, &end) : 0;
    *out = NULL;
    if (!at || end == at + 1 || *end || (size_t)(at - name) >= sizeof plain)
        return open_named(name, out, error);
    snprintf(plain, sizeof plain, "%.*s", (int)(at - name), name);
    ifl_status status = open_named(plain, out, error);
    if (status == IFL_OK)
        status = set_clock(*out, name, mhz * 1e6, error);
    if (status != IFL_OK && *out) {
        ifl_device_close(*out);
        *out = NULL;
    }
    return status;
}
