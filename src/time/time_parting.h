/* SPDX-License-Identifier: Apache-2.0
 * What an instruction takes longer that parts the lanes of its warp: into `more` groups more than one. In cycles. */
#ifndef IFL_TIME_TIME_PARTING_H
#define IFL_TIME_TIME_PARTING_H

#include "arch/arch.h"
#include "code/site.h"

/* A MATCH: so much later its result is there. `free`: when its scheduler's next MATCH may begin. */
double ifl_match_later(const ifl_arch *arch, uint64_t *free, uint32_t more, uint64_t now);
/* Others: so much later the warp goes on, and so long its scheduler issues nothing else. */
uint64_t ifl_parting_later(const ifl_arch *arch, const ifl_site *site, uint32_t more);
uint64_t ifl_parting_dispatch(const ifl_arch *arch, const ifl_site *site, uint32_t more);

/* The same of one whose lanes launch so many kernels, which have been then. */
uint64_t ifl_launching_later(const ifl_arch *arch, uint32_t *launches);

#endif
