/* SPDX-License-Identifier: Apache-2.0
 * Fuzzes fat binary containers and what is packed in them. */
#include "sass/embedded.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t wanted[] = {0, 80, 90};
    ifl_ptx_texts texts;
    ifl_error error;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (ifl_embedded_fatbin((const char *)data, size, "fuzz.fatbin", wanted[i], &texts,
                                &error) == IFL_OK)
            ifl_ptx_texts_free(&texts);
    return 0;
}
