/* SPDX-License-Identifier: Apache-2.0
 * The GPUs of the process, all of one kind: how many there are (inflight run --gpus), which one
 * each thread has chosen, and which may reach the memory of which. They share addresses and the
 * engine. */
#ifndef IFL_STANDIN_CHOSEN_GPU_H
#define IFL_STANDIN_CHOSEN_GPU_H

#include "session/session.h"
#include "standin/abi.h"

#include <stdbool.h>

int ifl_gpu_count(void);
bool ifl_gpu_exists(int ordinal);
/* Of this thread; the first one, where it has chosen none. */
int ifl_gpu_chosen(void);
void ifl_gpu_choose(int ordinal);
/* cudaSuccess, or the error of cudaDeviceEnablePeerAccess and cudaDeviceDisablePeerAccess. The lock
 * of state.h is held. */
ifl_cuda_error ifl_gpu_enable_peer(int peer);
ifl_cuda_error ifl_gpu_disable_peer(int peer);
/* Bytes that the program has allocated on it. */
uint64_t ifl_gpu_used_bytes(const ifl_memory *memory, int ordinal);

#endif
