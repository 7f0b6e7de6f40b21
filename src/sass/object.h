/* SPDX-License-Identifier: Apache-2.0
 * A cubin as a loader takes it: code at addresses, variables, constant banks, and the places that
 * are filled in when it is known where those lie. */
#ifndef IFL_SASS_OBJECT_H
#define IFL_SASS_OBJECT_H

#include "sass/sass.h"

/* The code of a kernel, or of a function with a section of its own. */
typedef struct ifl_object_text {
    const ifl_machine_kernel *kernel;
    uint8_t *code; /* kernel->code_bytes, with the addresses filled in */
    uint64_t address;
    uint8_t *constants; /* bank 2 */
    uint64_t constant_bytes;
    const char
        *unresolved; /* a symbol that its code or its constants need and nobody has; NULL: none */
    uint32_t calls;  /* functions that CUDA gives every kernel: ifl_provided_bit */
    bool calls_textures; /* or that ask textures for it */
} ifl_object_text;

typedef struct ifl_object_variable {
    const char *name;
    uint8_t space; /* IFL_SPACE_GLOBAL, or CONST: it lies in bank 3 */
    bool is_managed;
    uint64_t bytes;
    uint64_t offset;     /* in its section */
    const uint8_t *data; /* with the addresses filled in; NULL: zeros */
    uint64_t address;    /* of the device */
} ifl_object_variable;

typedef struct ifl_object ifl_object;
struct ifl_object {
    ifl_arena arena;
    ifl_machine *machine;
    ifl_object_text *texts; /* as machine->kernels */
    size_t text_count;
    ifl_object_variable *variables;
    size_t variable_count;
    uint8_t *constants; /* bank 3 */
    uint64_t constant_bytes;
    uint64_t constants_address; /* of the device */
    uint8_t *addresses;         /* bank 4 */
    uint64_t address_bytes;
    struct ifl_object_patch *patches;
    size_t patch_count;
};

/* One cubin; the bytes are not kept. */
ifl_status ifl_object_open(const char *name, const uint8_t *bytes, size_t size, ifl_object **out,
                           ifl_error *error);
void ifl_object_close(ifl_object *object);
/* Fills in the addresses: variables[].address of global ones are set, bank 3 lies at
 * `constants`. */
void ifl_object_place(ifl_object *object, uint64_t constants);
/* By the name that its file has; NULL: there is none. */
const ifl_object_text *ifl_object_find(const ifl_object *object, const char *kernel);

#endif
