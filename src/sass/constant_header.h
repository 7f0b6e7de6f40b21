/* SPDX-License-Identifier: Apache-2.0
 * What stands in constant bank 0 before the parameters, and what a kernel needs of local memory. */
#ifndef IFL_SASS_CONSTANT_HEADER_H
#define IFL_SASS_CONSTANT_HEADER_H

#include "sass/sass.h"

typedef enum ifl_constant_kind {
    IFL_CONSTANT_UNKNOWN,
    IFL_CONSTANT_SPECIAL, /* value: an ifl_special that does not change during a launch */
    IFL_CONSTANT_VALUE,
    IFL_CONSTANT_STACK, /* the end of a thread's local memory */
    IFL_CONSTANT_BANK3  /* the device address of bank 3, shifted right by `value` */
} ifl_constant_kind;

typedef struct ifl_constant_word {
    ifl_constant_kind kind;
    uint64_t value;
} ifl_constant_word;

ifl_constant_word ifl_constant_header(uint32_t sm, uint32_t offset);
/* Where parameters begin in bank 0, in bytes: what files say of kernels that have some
 * (EIATTR_PARAM_CBANK). */
uint32_t ifl_sass_parameter_base(uint32_t sm);
/* Of a thread, as ptxas states it. */
uint64_t ifl_sass_local_bytes(const ifl_machine_kernel *kernel);
/* Of all parameters. */
uint64_t ifl_sass_param_bytes(const ifl_machine_kernel *kernel);

#endif
