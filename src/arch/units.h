/* SPDX-License-Identifier: Apache-2.0
 * What is the same on every GPU since Fermi. */
#ifndef IFL_ARCH_UNITS_H
#define IFL_ARCH_UNITS_H

/* What memory is moved in (CUDA C++ Programming Guide, Compute Capabilities; Nsight Compute's
 * "sector" and "cache line"). */
enum {
    IFL_SECTOR_BYTES = 32,
    IFL_LINE_BYTES = 128,
    IFL_LINE_SECTORS = IFL_LINE_BYTES / IFL_SECTOR_BYTES
};

/* Threads of a warp (CUDA C++ Programming Guide, Compute Capabilities). */
enum { IFL_WARP_LANES = 32 };

/* Warp schedulers of an SM (CUDA C++ Programming Guide, Compute Capabilities: four from 3.0 on;
 * Fermi's two are taken for four). */
enum { IFL_SM_SUBCORES = 4 };

#endif
