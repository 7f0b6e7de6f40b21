/* SPDX-License-Identifier: Apache-2.0
 * Writes one of the pages that the library makes from its tables: `make docs` puts them into docs/,
 * and tests compare.
 * usage: print_document TOPIC */
#include "inflight.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    ifl_error error;
    if (argc != 2) {
        fprintf(stderr, "usage: print_document TOPIC\n");
        return 2;
    }
    if (ifl_document(argv[1], stdout, &error) != IFL_OK) {
        fprintf(stderr, "print_document: %s\n", error.text);
        return EXIT_FAILURE;
    }
    return fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
