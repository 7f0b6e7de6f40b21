/* SPDX-License-Identifier: Apache-2.0
 * SMs as the driver and the runtime hand them out (CUDA Driver API, "Green Contexts"). */
#ifndef IFL_STANDIN_DEVICE_RESOURCE_H
#define IFL_STANDIN_DEVICE_RESOURCE_H

#include <stddef.h>
#include <stdint.h>

/* cudaDevResourceType; those of work queues are not served. */
enum { IFL_RESOURCE_SMS = 1, IFL_RESOURCE_QUEUE_CONFIGURATION = 1000, IFL_RESOURCE_QUEUE = 10000 };

/* cudaDevResource of CUDA 13.5. That of 13.0 ends with 48 bytes of the union in place of 40 and a
 * pointer, and has only the first three numbers of SMs. */
typedef struct ifl_device_resource {
    int type;
    int gpu;
    uint64_t split; /* which made it; 0: none, it is all of a GPU or of a green context */
    char own[80];   /* for the driver, as the two before */
    unsigned sms, least_part, aligned_to, flags, domain;
    char rest[28];
} ifl_device_resource;
_Static_assert(sizeof(ifl_device_resource) == 144, "the size of cudaDevResource");
_Static_assert(offsetof(ifl_device_resource, sms) == 96, "behind the driver's own bytes");

#endif
