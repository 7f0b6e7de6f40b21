/* SPDX-License-Identifier: Apache-2.0
 * What CUDA's libraries say alike of the GPU that a program finds. */
#ifndef IFL_STANDIN_GPU_BYTES_H
#define IFL_STANDIN_GPU_BYTES_H

#include "device/device.h"
#include "standin/served.h"

/* 13000 is 13.0. The driver is as new as the newest runtime that this stands in for. */
enum { IFL_DRIVER_VERSION = 13000 };

/* Its memory; 16 GiB where the description has no figure. */
size_t ifl_gpu_bytes(const ifl_device *device);

#endif
