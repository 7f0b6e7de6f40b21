/* SPDX-License-Identifier: Apache-2.0
 * A program with the toolkit's static runtime. */
extern int cudaFree(void *at);

int main(void)
{
    return cudaFree(0);
}
