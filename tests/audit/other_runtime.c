/* SPDX-License-Identifier: Apache-2.0
 * A libcudart.so that nobody should see: ours answers for its name. */
extern int cudaRuntimeGetVersion(int *version);
int cudaRuntimeGetVersion(int *version)
{
    *version = 77000;
    return 77;
}
