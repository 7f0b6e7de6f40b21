/* SPDX-License-Identifier: Apache-2.0
 * Registers where machine code tells, else a guess from the values that live at once. */
#include "profile/registers.h"

/* What the compiler needs beside the values that live: the stack pointer, addresses in the making. */
enum { SPARE_REGISTERS = 6, LEAST_REGISTERS = 16 };

int ifl_profile_registers(const ifl_profile *profile, int most, bool *is_estimate)
{
    const bool guessed = !profile->machine.registers;
    if (is_estimate)
        *is_estimate = guessed;
    if (!guessed)
        return (int)profile->machine.registers;
    if (!profile->program.known)
        return 0;
    const int guess = (int)profile->program.registers + SPARE_REGISTERS;
    return guess > most ? most : guess < LEAST_REGISTERS ? LEAST_REGISTERS : guess;
}
