/* SPDX-License-Identifier: Apache-2.0
 * Descriptions of GPUs: one data file each (devices/), every figure with its unit and source. Knows
 * how to read and show them, not what they mean. */
#ifndef IFL_DEVICE_DEVICE_H
#define IFL_DEVICE_DEVICE_H

#include "arch/arch.h"
#include "base/arena.h"
#include "base/error.h"

typedef enum ifl_device_field {
#define FIELD(name, unit, least, most, needed, doc) IFL_DEVICE_##name,
#include "device/field.def"
#undef FIELD
    IFL_DEVICE_FIELDS
} ifl_device_field;

typedef struct ifl_field_info {
    const char *name;
    const char *unit;
    double least, most;
    bool needed;
    const char *doc;
} ifl_field_info;

const ifl_field_info *ifl_field_get(ifl_device_field field);

struct ifl_device {
    ifl_arena arena;
    const char *id;   /* "h200": the file's name without its ending */
    const char *name; /* "H200 SXM" */
    double value[IFL_DEVICE_FIELDS];
    bool known[IFL_DEVICE_FIELDS]; /* what is not known has no value */
    const char *source[IFL_DEVICE_FIELDS];
};

/* The files that are built in, from devices/: their names with endings and their texts. */
typedef struct ifl_device_text {
    const char *name;
    const char *text;
} ifl_device_text;
extern const ifl_device_text ifl_device_texts[];
extern const size_t ifl_device_text_count;

/* Nobody measured it on this GPU: its source says "unmeasured". */
bool ifl_device_is_unmeasured(const ifl_device *device, ifl_device_field field);
/* The latencies and rates of which that is so and that predictions stand on, in the order of the
 * fields; how many. */
enum { IFL_DEVICE_RATES = 6 };
size_t ifl_device_unmeasured(const ifl_device *device, ifl_device_field to[IFL_DEVICE_RATES]);

typedef enum ifl_own_use {
#define OWN_USE(name, what) IFL_OWN_##name,
#include "device/own_fact.def"
    IFL_OWN_USES
} ifl_own_use;

/* The facts of its compute capability, and its own in their place. */
ifl_arch ifl_device_arch(const ifl_device *device);
/* Of the facts for one use, those that were not measured on this GPU, in the order of own_fact.def; at most `most`. */
size_t ifl_device_lacking(const ifl_device *device, ifl_own_use use, const char **names,
                          size_t most);
/* In the words of reports. */
const char *ifl_own_use_text(ifl_own_use use);

/* The data-centre GPU of devices/ that is most common among those that run code for `sm` (90:
 * compute capability 9.0): of the same architecture, or of the next one that is known where none of
 * it is. NULL: none runs it. */
const char *ifl_device_common(uint32_t sm);

/* Reads a description. `file` names it in errors; its `limits = NAME` line is looked up among the
 * built-in files. A missing, double, unknown or absurd value is IFL_BAD_INPUT with file and
 * line. */
ifl_status ifl_device_parse(const char *file, const char *id, const char *text, size_t bytes,
                            ifl_device **out, ifl_error *error);

#endif
