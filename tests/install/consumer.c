/* SPDX-License-Identifier: Apache-2.0
 * The smallest user of an installed libinflight: opens a PTX file and prints the name of its first
 * kernel. */
#include <inflight.h>

int main(int argc, char **argv)
{
    ifl_module *module = NULL;
    ifl_error error;
    if (argc != 2 || ifl_module_open(argv[1], NULL, &module, &error) != IFL_OK)
        return 1;
    printf("%s %s\n", ifl_version(), ifl_module_kernel_name(module, 0));
    ifl_module_close(module);
    return 0;
}
