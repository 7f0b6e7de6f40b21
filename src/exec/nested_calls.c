/* SPDX-License-Identifier: Apache-2.0
 * What the device runtime library asks the driver for where a kernel launches kernels (CUDA C++
 * Programming Guide, "CUDA Dynamic Parallelism"). Arguments stand in registers from R4 on, as
 * libcudadevrt of CUDA 13.0 hands them over for sm_75 to sm_121: GetParameterBufferV2(function
 * R4:R5, grid R6 to R8, block R9 to R11, shared bytes R12) -> R4:R5, LaunchDeviceV2(parameters
 * R4:R5, stream R6:R7) -> R4. Streams and events only order grids, and all of a kernel's grids run
 * in the order of their launches: one that waits has nothing to wait for. */
#include "exec/provided_call.h"

#include <stdlib.h>
#include <string.h>

static uint32_t *error_of(const ifl_provided_lane *call)
{
    const ifl_warp *warp = call->warp;
    uint32_t *errors = warp->block->nested_errors;
    return errors ? &errors[warp->index * IFL_WARP_LANES + call->lane] : NULL;
}

static void set_error(const ifl_provided_lane *call, uint32_t error)
{
    ifl_block *block = call->warp->block;
    if (!block->nested_errors && error)
        block->nested_errors =
            calloc((size_t)block->warp_count * IFL_WARP_LANES, sizeof *block->nested_errors);
    if (block->nested_errors)
        *error_of(call) = error;
    else if (error)
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_NO_MEMORY, call->lane,
                        "out of memory for the errors of threads");
}

static const ifl_nester *nester_of(const ifl_provided_lane *call)
{
    const ifl_nester *nester = call->warp->worker->grid->launch->nester;
    if (!nester)
        ifl_fault_raise(call->warp, call->code, IFL_FAULT_UNSUPPORTED, call->lane,
                        "a kernel that launches kernels is not run here");
    return nester;
}

/* The library launches nothing where there is no room, and leaves the error to be set here. */
void ifl_nested_parameters(const ifl_provided_lane *call)
{
    enum {
        FUNCTION = IFL_PROVIDED_FIRST_REGISTER,
        GRID = FUNCTION + 2,
        BLOCK = GRID + 3,
        SHARED = BLOCK + 3
    };
    static const uint32_t cuda_error[] = {
        [IFL_NESTED_BAD_VALUE] = 1, [IFL_NESTED_NO_MEMORY] = 2, [IFL_NESTED_BAD_SHAPE] = 9};
    const ifl_nester *nester = nester_of(call);
    if (!nester)
        return;
    ifl_nested_grid grid = {.function = ifl_provided_argument(call, 0),
                            .dynamic_shared_bytes = *ifl_provided_register(call, SHARED)};
    for (uint32_t i = 0; i < 3; i++) {
        grid.grid[i] = *ifl_provided_register(call, GRID + i);
        grid.block[i] = *ifl_provided_register(call, BLOCK + i);
    }
    uint64_t address = 0;
    const ifl_nested_status status = nester->parameters(nester->user, &grid, &address);
    if (status != IFL_NESTED_OK)
        set_error(call, cuda_error[status]);
    ifl_provided_result(call, status == IFL_NESTED_OK ? address : 0);
}

void ifl_nested_launch(const ifl_provided_lane *call)
{
    const ifl_nester *nester = nester_of(call);
    ifl_warp_tell_nested(call->warp, call->code->site);
    if (nester)
        ifl_provided_result(call, nester->launch(nester->user, ifl_provided_argument(call, 0),
                                                 ifl_provided_argument(call, 1)));
}

static void write_result(const ifl_provided_lane *call, const void *value, unsigned bytes)
{
    uint8_t *to = ifl_warp_reach(call->warp, call->code, call->lane, ifl_provided_argument(call, 0),
                                 bytes, true);
    if (to)
        memcpy(to, value, bytes);
    ifl_provided_result(call, IFL_NESTED_OK);
}

/* A stream or an event: nothing tells one from another. */
void ifl_nested_create(const ifl_provided_lane *call)
{
    static const uint64_t any = 0x100;
    write_result(call, &any, sizeof any);
}

void ifl_nested_ignore(const ifl_provided_lane *call)
{
    ifl_provided_result(call, IFL_NESTED_OK);
}

void ifl_nested_get_error(const ifl_provided_lane *call)
{
    const uint32_t *error = error_of(call);
    ifl_provided_result(call, error ? *error : 0);
}

void ifl_nested_set_error(const ifl_provided_lane *call)
{
    const uint32_t error = (uint32_t)ifl_provided_argument(call, 0);
    set_error(call, error);
    ifl_provided_result(call, error);
}

/* Kernels see one GPU. */
void ifl_nested_device(const ifl_provided_lane *call)
{
    static const int32_t first = 0;
    write_result(call, &first, sizeof first);
}

void ifl_nested_devices(const ifl_provided_lane *call)
{
    static const int32_t count = 1;
    write_result(call, &count, sizeof count);
}

void ifl_nested_refuse(const ifl_provided_lane *call)
{
    ifl_fault_raise(call->warp, call->code, IFL_FAULT_UNSUPPORTED, call->lane,
                    "a question to the device runtime (cudaDeviceGetAttribute, cudaDeviceGetLimit, "
                    "cudaFuncGetAttributes, cudaOccupancy...) in a kernel is not served");
}
