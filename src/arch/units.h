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

/* A register, and a bank of shared memory (CUDA C++ Programming Guide, Compute Capabilities). */
enum { IFL_WORD_BYTES = 4 };

/* An instruction of machine code from Volta on, and the lines of constants of the two caches that an SM has of
 * them (tools/gpu/cold_probe.cu). */
enum {
    IFL_INSTRUCTION_BYTES = 16,
    IFL_CONSTANT_LINE_BYTES = 64,
    IFL_CONSTANT_WIDE_LINE_BYTES = 256,
    IFL_CONSTANT_BANK_BYTES = 1 << 16 /* a bank of them (CUDA C++ Programming Guide: 64 KB) */
};

/* Threads of a warp (CUDA C++ Programming Guide, Compute Capabilities). */
enum { IFL_WARP_LANES = 32 };

/* Warp schedulers of an SM (CUDA C++ Programming Guide, Compute Capabilities: four from 3.0 on;
 * Fermi's two are taken for four). */
enum { IFL_SM_SUBCORES = 4 };

#endif
