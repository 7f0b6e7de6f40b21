/* SPDX-License-Identifier: Apache-2.0
 * What clang needs in place of the CUDA toolkit's headers. */
#ifndef IFL_COMPILE_SHIM_H
#define IFL_COMPILE_SHIM_H

/* The text of a header that is included before the .cu file. */
extern const char ifl_cuda_shim[];
/* The host's half; stands behind the other. */
extern const char ifl_cuda_host_shim[];

#endif
