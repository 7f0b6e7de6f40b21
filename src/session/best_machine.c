/* SPDX-License-Identifier: Apache-2.0
 * The machine code beside a module's PTX: what the program may ask of a kernel (registers, stack)
 * stands there. */
#include "session/session_internal.h"

#include "sass/fatbin.h"

#include <stdlib.h>

/* How well code for `sm` does for a GPU: the same is best, then the newest before it, then any. */
static int fitness(uint32_t sm, uint32_t wanted)
{
    enum { SAME = 1 << 20, OLDER = 1 << 10 };
    return sm == wanted ? SAME : sm < wanted ? OLDER + (int)sm : (int)(OLDER / 2 - sm);
}

static void consider(const ifl_fatbin_entry *entry, uint32_t wanted, ifl_fatbin_entry *best,
                     int *best_fitness)
{
    const int now = fitness(entry->sm, wanted);
    if (entry->kind != IFL_FATBIN_ELF || now <= *best_fitness)
        return;
    *best = *entry;
    *best_fitness = now;
}

static bool find_best(const void *image, size_t bytes, uint32_t wanted, ifl_fatbin_entry *best)
{
    ifl_fatbin section = {.at = image, .end = (const uint8_t *)image + bytes}, container;
    ifl_fatbin_entry entry;
    int best_fitness = INT32_MIN;
    bool found = true, more = true;
    while (ifl_fatbin_next(&section, &container, &found, NULL) == IFL_OK && found) {
        more = true;
        while (ifl_fatbin_entry_next(&container, &entry, &more, NULL) == IFL_OK && more)
            consider(&entry, wanted, best, &best_fitness);
    }
    return best_fitness > INT32_MIN;
}

ifl_machine *ifl_best_machine_read(const char *name, const void *image, size_t bytes, uint32_t sm)
{
    ifl_fatbin_entry best;
    char *code;
    size_t code_bytes;
    if (!find_best(image, bytes, sm, &best) ||
        ifl_fatbin_unpack(&best, &code, &code_bytes, NULL) != IFL_OK)
        return NULL;
    ifl_machine *machine = ifl_machine_new(name);
    if (machine &&
        ifl_machine_read_cubin(name, (const uint8_t *)code, code_bytes, machine, NULL) != IFL_OK) {
        ifl_machine_free(machine);
        machine = NULL;
    }
    free(code);
    return machine;
}
