/* SPDX-License-Identifier: Apache-2.0
 * Occupancy: how many blocks of a shape an SM holds, what limits it, and how near the next step is.
 *
 * The rules are those of NVIDIA's occupancy calculator (cuda_occupancy.h), with the SM's limits
 * from the device's description: registers are given to warps in units and by partition of the SM,
 * shared memory to blocks in units and with a reserved part, warps and blocks are counted. */
#include "device/block_places.h"
#include "device/device.h"

#include <limits.h>
#include <string.h>

static long field(const ifl_device *device, ifl_device_field f)
{
    return (long)device->value[f];
}

static long round_up(long value, long unit)
{
    return (value + unit - 1) / unit * unit;
}

static long warps_of(const ifl_occupancy_request *r)
{
    return (r->threads + 31) / 32;
}

static long by_warps(const ifl_device *d, const ifl_occupancy_request *r)
{
    return r->threads > field(d, IFL_DEVICE_max_threads_per_block)
               ? 0
               : field(d, IFL_DEVICE_max_warps_per_sm) / warps_of(r);
}

/* Each partition gives whole warps their registers; a block's warps are spread over all
 * partitions. */
static long by_registers(const ifl_device *d, const ifl_occupancy_request *r)
{
    long partitions = field(d, IFL_DEVICE_register_partitions), warps = warps_of(r);
    long per_warp = round_up(r->registers * 32L, field(d, IFL_DEVICE_register_unit));
    if (r->registers > field(d, IFL_DEVICE_max_registers_per_thread) ||
        per_warp * round_up(warps, partitions) > field(d, IFL_DEVICE_registers_per_block))
        return 0;
    if (per_warp == 0)
        return LONG_MAX;
    return field(d, IFL_DEVICE_registers_per_sm) / partitions / per_warp * partitions / warps;
}

static long by_shared(const ifl_device *d, const ifl_occupancy_request *r)
{
    long bytes = round_up(r->shared_bytes + field(d, IFL_DEVICE_shared_reserved_per_block),
                          field(d, IFL_DEVICE_shared_unit));
    if (r->shared_bytes > field(d, IFL_DEVICE_shared_bytes_per_block))
        return 0;
    const long all = r->shared_limit ? r->shared_limit : field(d, IFL_DEVICE_shared_bytes_per_sm);
    return bytes ? all / bytes : LONG_MAX;
}

static long by_barriers(const ifl_device *d, const ifl_occupancy_request *r)
{
    return d->known[IFL_DEVICE_barriers_per_sm] && r->barriers
               ? field(d, IFL_DEVICE_barriers_per_sm) / r->barriers
               : LONG_MAX;
}

static long by_blocks(const ifl_device *d, const ifl_occupancy_request *r)
{
    (void)r;
    return field(d, IFL_DEVICE_max_blocks_per_sm);
}

static const struct {
    const char *name;
    long (*blocks)(const ifl_device *device, const ifl_occupancy_request *request);
} limits[] = {
    {"warps", by_warps}, /* a full SM is full of warps, whatever else is just used up */
    {"registers", by_registers}, {"shared memory", by_shared},
    {"barriers", by_barriers},   {"blocks", by_blocks},
};
enum { CLUSTERS_SINCE = 9 }; /* CUDA C++ Programming Guide, Compute Capabilities */
enum { LIMITS = sizeof limits / sizeof *limits };

static long blocks_of(const ifl_device *device, const ifl_occupancy_request *request)
{
    long least = LONG_MAX;
    for (int i = 0; i < LIMITS; i++) {
        long blocks = limits[i].blocks(device, request);
        least = blocks < least ? blocks : least;
    }
    return least;
}

/* One resource of a request, and the most of it that a block may have. */
typedef struct resource {
    int *value;
    int most;
    long (*blocks)(const ifl_device *device, const ifl_occupancy_request *request);
} resource;

/* The largest value of `what` with which at least `wanted` blocks fit, -1 when none does. More of a
 * resource never fits more blocks, so halving finds it; no other limit depends on it. */
static int most_with(const ifl_device *device, const ifl_occupancy_request *request, resource what,
                     long wanted)
{
    int kept = *what.value, low = 0, high = what.most + 1;
    *what.value = low;
    bool is_possible = blocks_of(device, request) >= wanted;
    while (is_possible && high - low > 1) {
        *what.value = low + (high - low) / 2;
        if (what.blocks(device, request) >= wanted)
            low = *what.value;
        else
            high = *what.value;
    }
    *what.value = kept;
    return is_possible ? low : -1;
}

static void find_steps(const ifl_device *device, ifl_occupancy_request request, ifl_occupancy *out)
{
    resource registers = {&request.registers,
                          (int)field(device, IFL_DEVICE_max_registers_per_thread), by_registers};
    resource shared = {&request.shared_bytes, (int)field(device, IFL_DEVICE_shared_bytes_per_block),
                       by_shared};
    out->registers_for_more = most_with(device, &request, registers, out->blocks_per_sm + 1);
    out->registers_before_fewer =
        out->blocks_per_sm ? most_with(device, &request, registers, out->blocks_per_sm) : -1;
    out->shared_for_more = most_with(device, &request, shared, out->blocks_per_sm + 1);
    out->shared_before_fewer =
        out->blocks_per_sm ? most_with(device, &request, shared, out->blocks_per_sm) : -1;
}

ifl_status ifl_occupancy_compute(const ifl_device *device, const ifl_occupancy_request *request,
                                 ifl_occupancy *out, ifl_error *error)
{
    memset(out, 0, sizeof *out);
    if (request->threads < 1 || request->registers < 0 || request->shared_bytes < 0 ||
        request->barriers < 0 || request->cluster < 0)
        return ifl_fail(error, IFL_USAGE,
                        "a block has at least one thread, and no resource is negative");
    long least = LONG_MAX;
    for (int i = 0; i < LIMITS; i++) {
        long blocks = limits[i].blocks(device, request);
        if (blocks < least) {
            least = blocks;
            out->limiter = limits[i].name;
        }
    }
    out->blocks_per_sm = (int)least;
    out->warps_per_sm = (int)(least * warps_of(request));
    out->max_warps_per_sm = (int)field(device, IFL_DEVICE_max_warps_per_sm);
    out->theoretical = (double)out->warps_per_sm / out->max_warps_per_sm;
    if (request->cluster > 1 && field(device, IFL_DEVICE_compute_capability) >= CLUSTERS_SINCE)
        out->clusters = ifl_place_clusters((uint32_t)field(device, IFL_DEVICE_sms), (uint32_t)least,
                                           (uint32_t)request->cluster);
    find_steps(device, *request, out);
    return IFL_OK;
}
