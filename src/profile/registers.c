/* SPDX-License-Identifier: Apache-2.0
 * Registers from the machine code, or else an estimate from the values that are live at once. */
#include "profile/registers.h"

/* What the compiler needs beside the values that live: the stack pointer, addresses in the
 * making. */
enum { SPARE_REGISTERS = 6, LEAST_REGISTERS = 16 };
/* Of an SM, for each warp a multiple of 256: every compute capability from 3.0 on (CUDA C++
 * Programming Guide). */
enum { SM_REGISTERS = 65536, WARP_UNIT = 256, LANES = 32 };

/* PTX ISA, .minnctapersm: the compiler keeps to what lets an SM hold so many blocks of .maxntid
 * threads; it spills the rest. */
static int bound_of(const ifl_profile *profile, int most)
{
    const uint32_t warps = profile->program.bound_warps;
    const int bound = warps ? (int)(SM_REGISTERS / warps / WARP_UNIT * WARP_UNIT / LANES) : most;
    return bound < most && bound > 0 ? bound : most;
}

int ifl_profile_registers_wanted(const ifl_profile *profile)
{
    return profile->program.known ? (int)profile->program.registers + SPARE_REGISTERS : 0;
}

int ifl_profile_registers(const ifl_profile *profile, int most, bool *is_estimate)
{
    const bool guessed = !profile->machine.registers;
    if (is_estimate)
        *is_estimate = guessed;
    if (!guessed)
        return (int)profile->machine.registers;
    if (!profile->program.known)
        return 0;
    const int guess = ifl_profile_registers_wanted(profile);
    most = bound_of(profile, most);
    return guess > most ? most : guess < LEAST_REGISTERS ? LEAST_REGISTERS : guess;
}
