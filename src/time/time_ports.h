/* SPDX-License-Identifier: Apache-2.0
 * The ports at which a scheduler's instructions read their registers: one for each of two banks. */
#ifndef IFL_TIME_TIME_PORTS_H
#define IFL_TIME_TIME_PORTS_H

#include "code/site.h"

enum { IFL_REGISTER_BANKS = 2 };

typedef struct ifl_register_ports {
    uint64_t free_at[IFL_REGISTER_BANKS];
    uint64_t window;  /* cycles in which an instruction reads */
    const void *warp; /* that read last, at: */
    uint32_t site;
} ifl_register_ports;

/* From when on the warp may issue what it is at, a site; `now` at the earliest. */
uint64_t ifl_register_ports_open(const ifl_register_ports *ports, const void *warp, uint32_t site,
                                 const ifl_control *control, uint64_t now);
/* It has been issued. */
void ifl_register_ports_read(ifl_register_ports *ports, const void *warp, uint32_t site,
                             const ifl_control *control, uint64_t now);

#endif
