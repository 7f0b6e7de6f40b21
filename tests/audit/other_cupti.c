/* SPDX-License-Identifier: Apache-2.0
 * A library by the name of NVIDIA's CUPTI, which must not be the one that is asked. */
int cuptiGetVersion(unsigned *version)
{
    *version = 0;
    return 0;
}
