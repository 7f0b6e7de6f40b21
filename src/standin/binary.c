/* SPDX-License-Identifier: Apache-2.0
 * See binary.h. */
#include "standin/binary.h"

#include "standin/chosen_gpu.h"
#include "standin/image.h"

#include <stdlib.h>
#include <string.h>

/* Programs register all of their functions (59,356 when PyTorch 2.15 is imported) before they look
 * for the first. */
static struct {
    IFL_VEC(ifl_function_record *) functions;
    bool is_sorted; /* by host address, and nothing that was forgotten is among them */
    IFL_VEC(ifl_variable_record) variables;
} registered;

void ifl_binaries_forget(void)
{
    memset(&registered, 0, sizeof registered);
}

/* ---- binaries -------------------------------------------------------------------------------- */

ifl_binary *ifl_binary_register(const ifl_fatbin_wrapper *wrapper, ifl_handle_kind kind)
{
    ifl_binary *binary = calloc(1, sizeof *binary);
    if (!binary || !ifl_handle_add(kind, binary)) {
        free(binary);
        return NULL;
    }
    binary->wrapper = wrapper;
    return binary;
}

static void forget_variables(const ifl_binary *binary)
{
    size_t kept = 0;
    if (!binary->has_variables)
        return;
    for (size_t i = 0; i < registered.variables.count; i++)
        if (registered.variables.at[i].binary == binary)
            free(registered.variables.at[i].name);
        else
            registered.variables.at[kept++] = registered.variables.at[i];
    registered.variables.count = kept;
}

/* Its functions go; the program is ending, or has closed a library. */
void ifl_binary_forget(ifl_binary *binary)
{
    ifl_handles_lock();
    for (ifl_function_record *function = binary->functions; function; function = function->next) {
        ifl_handle_remove(function);
        function->binary = NULL;
        registered.is_sorted = false;
    }
    forget_variables(binary);
    ifl_handle_remove(binary);
    ifl_handles_unlock();
    free(binary);
}

static ifl_cuda_error code_of_load(ifl_status status)
{
    return status == IFL_UNSUPPORTED ? ifl_cudaErrorNoKernelImageForDevice
           : status == IFL_NO_MEMORY ? ifl_cudaErrorMemoryAllocation
                                     : ifl_cudaErrorInvalidPtx;
}

/* The linked machine code and, behind it, what nvcc -rdc=true linked it from: the PTX stands there.
 * NULL without memory. */
static uint8_t *gather(const ifl_fatbin_wrapper *wrapper, size_t *bytes)
{
    const void *fatbin;
    uint8_t *all = NULL;
    for (int is_copying = 0; is_copying < 2; is_copying++) {
        size_t at = ifl_image_measure(wrapper, &fatbin);
        if (is_copying)
            memcpy(all, fatbin, at);
        at = (at + 7) / 8 * 8;
        for (void **one = wrapper->linked; *one; one++) {
            const size_t size = ifl_image_measure(*one, &fatbin);
            if (is_copying)
                memcpy(all + at, fatbin, size);
            at += (size + 7) / 8 * 8;
        }
        *bytes = at;
        if (!is_copying && !(all = calloc(1, at)))
            return NULL;
    }
    return all;
}

static bool has_managed(const ifl_binary *binary);

/* One GPU's module more. A managed variable is one for all GPUs, which modules of their own cannot
 * have. */
static ifl_cuda_error read_image(ifl_session *session, ifl_binary *binary, ifl_loaded **out)
{
    const ifl_fatbin_wrapper *wrapper = binary->wrapper;
    const bool is_linked =
        wrapper->magic == IFL_FATBIN_WRAPPER_MAGIC && wrapper->version == IFL_FATBIN_WRAPPER_LINKED;
    const void *fatbin = NULL;
    size_t bytes = is_linked ? 0 : ifl_image_measure(wrapper, &fatbin);
    uint8_t *all = is_linked ? gather(wrapper, &bytes) : NULL;
    if (is_linked && !all)
        return ifl_cudaErrorMemoryAllocation;
    const ifl_status status = ifl_session_load(session, "fat binary of the program",
                                               all ? all : fatbin, bytes, out, &binary->why);
    free(all);
    return status == IFL_OK ? ifl_cudaSuccess : code_of_load(status);
}

static void tell_why(ifl_binary *binary)
{
    if (binary->why.text[0])
        ifl_state_tell_error(&binary->why);
    binary->why.text[0] = '\0';
}

static ifl_cuda_error read_quietly(ifl_session *session, ifl_binary *binary)
{
    ifl_loaded **one = &binary->on[ifl_gpu_chosen()];
    if (binary->failed || *one) {
        binary->loaded = *one;
        return binary->failed;
    }
    if (!binary->wrapper) /* of a module: another GPU's */
        return ifl_cudaErrorInvalidResourceHandle;
    if (binary->loaded && has_managed(binary)) {
        ifl_state_tell("error: a program with __managed__ variables uses them on one GPU only "
                       "here, not on GPU %d too",
                       ifl_gpu_chosen());
        return ifl_cudaErrorNotSupported;
    }
    binary->failed = read_image(session, binary, one);
    binary->loaded = *one;
    return binary->failed;
}

ifl_cuda_error ifl_binary_read(ifl_session *session, ifl_binary *binary)
{
    const ifl_cuda_error code = read_quietly(session, binary);
    tell_why(binary);
    return code;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int compare_hosts(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)(*(ifl_function_record *const *)a)->host,
                    y = (uintptr_t)(*(ifl_function_record *const *)b)->host;
    return x < y ? -1 : x > y;
}

static void sort(void)
{
    size_t kept = 0;
    for (size_t i = 0; i < registered.functions.count; i++) {
        ifl_function_record *function = registered.functions.at[i];
        if (function->binary) {
            registered.functions.at[kept++] = function;
            continue;
        }
        free(function->name);
        free(function->old_launch);
        free(function);
    }
    registered.functions.count = kept;
    if (kept)
        qsort(registered.functions.at, kept, sizeof *registered.functions.at, compare_hosts);
    registered.is_sorted = true;
}

static size_t place_of(const void *host)
{
    if (!registered.is_sorted)
        sort();
    size_t low = 0, high = registered.functions.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if ((uintptr_t)registered.functions.at[middle]->host < (uintptr_t)host)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool add_record(ifl_function_record *function)
{
    ifl_handles_lock();
    const bool is_added =
        ifl_vec_reserve(&registered.functions, 1) && ifl_handle_add(IFL_HANDLE_FUNCTION, function);
    if (is_added) {
        registered.functions.at[registered.functions.count++] = function;
        registered.is_sorted = false;
        function->next = function->binary->functions;
        function->binary->functions = function;
    }
    ifl_handles_unlock();
    return is_added;
}

/* `host` NULL: the record's own name, which no program's address is, stands for it. */
static ifl_cuda_error add(ifl_binary *binary, const void *host, const char *name,
                          ifl_function_record **out)
{
    ifl_function_record *function = calloc(1, sizeof *function);
    char *copy = strdup(name);
    if (function)
        *function = (ifl_function_record){
            .binary = binary, .host = host ? host : copy, .name = copy, .carveout = -1};
    if (function && copy && add_record(function)) {
        *out = function;
        return ifl_cudaSuccess;
    }
    free(function);
    free(copy);
    return ifl_cudaErrorMemoryAllocation;
}

bool ifl_function_register(const void *handle, const void *host, const char *name)
{
    ifl_function_record *function;
    ifl_binary *binary = ifl_handle_find(IFL_HANDLE_FATBIN, handle);
    return binary && name && add(binary, host, name, &function) == ifl_cudaSuccess;
}

ifl_function_record *ifl_function_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_FUNCTION, handle);
}

ifl_function_record *ifl_function_find(const void *host)
{
    ifl_handles_lock();
    const size_t at = place_of(host);
    const bool is_there =
        at < registered.functions.count && registered.functions.at[at]->host == host;
    ifl_function_record *found = is_there ? registered.functions.at[at] : ifl_function_of(host);
    ifl_handles_unlock();
    return found;
}

/* What is wrong with a function is said once. */
static ifl_cuda_error code_of(ifl_function_record *function, ifl_status status,
                              const ifl_error *error)
{
    if (status != IFL_OK && !function->is_told)
        ifl_state_tell_error(error);
    function->is_told |= status != IFL_OK;
    return status == IFL_OK            ? ifl_cudaSuccess
           : status == IFL_UNSUPPORTED ? ifl_cudaErrorNotSupported
                                       : ifl_cudaErrorInvalidDeviceFunction;
}

ifl_cuda_error ifl_function_resolve(ifl_session *session, ifl_function_record *function)
{
    ifl_ready_kernel **one = &function->on[ifl_gpu_chosen()];
    function->kernel = *one;
    if (*one)
        return ifl_cudaSuccess;
    const ifl_cuda_error code = read_quietly(session, function->binary);
    if (code != ifl_cudaSuccess)
        return code;
    ifl_error error = {0};
    const ifl_status status =
        ifl_session_look_up(session, function->binary->loaded, function->name, one, &error);
    function->kernel = *one;
    return code_of(function, status, &error);
}

ifl_cuda_error ifl_function_ready(ifl_session *session, ifl_function_record *function)
{
    const ifl_cuda_error code = ifl_function_resolve(session, function);
    ifl_error error = {0};
    tell_why(function->binary);
    return code == ifl_cudaSuccess
               ? code_of(function, ifl_ready_lower(function->kernel, &error), &error)
               : code;
}

/* ---- variables ------------------------------------------------------------------------------- */

bool ifl_variable_register(const void *handle, const void *host, void **managed, const char *name,
                           size_t bytes)
{
    ifl_binary *binary = ifl_handle_find(IFL_HANDLE_FATBIN, handle);
    char *copy = binary && name ? strdup(name) : NULL;
    const ifl_variable_record record = {binary, host, managed, copy, bytes};
    ifl_handles_lock();
    const bool is_added = copy && ifl_vec_push(&registered.variables, record);
    if (is_added)
        binary->has_variables = true;
    ifl_handles_unlock();
    if (!is_added)
        free(copy);
    return is_added;
}

/* A copy of the record at `index`, whose name its binary keeps; false past the last. */
static bool variable_at(size_t index, ifl_variable_record *out)
{
    ifl_handles_lock();
    const bool is_one = index < registered.variables.count;
    if (is_one)
        *out = registered.variables.at[index];
    ifl_handles_unlock();
    return is_one;
}

static bool has_managed(const ifl_binary *binary)
{
    ifl_variable_record record;
    for (size_t i = 0; variable_at(i, &record); i++)
        if (record.binary == binary && record.managed)
            return true;
    return false;
}

static bool stands_for(const ifl_variable_record *record, const void *host)
{
    return record->managed ? *record->managed == host || (const void *)record->managed == host
                           : record->host == host;
}

ifl_cuda_error ifl_variable_resolve(ifl_session *session, const void *host,
                                    ifl_placed_variable *out)
{
    ifl_variable_record record;
    for (size_t i = 0; variable_at(i, &record); i++) {
        if (!stands_for(&record, host))
            continue;
        const ifl_cuda_error code = ifl_binary_read(session, record.binary);
        if (code != ifl_cudaSuccess)
            return code;
        return ifl_session_variable(session, record.binary->loaded, record.name, out)
                   ? ifl_cudaSuccess
                   : ifl_cudaErrorInvalidSymbol;
    }
    return ifl_cudaErrorInvalidSymbol;
}

/* From now on the program may write them at any time, and passes the address to kernels, where it
 * means the same. */
static void give_to_host(ifl_session *session, ifl_placed_variable *at)
{
    ifl_allocation *a = ifl_memory_find(ifl_session_memory(session), at->address);
    if (!a)
        return;
    a->flags |= IFL_ALLOCATION_HOST;
    ifl_memory_show_at_address(a);
    at->host = a->host + (at->address - a->address);
}

/* The bytes that a kernel reaches at the variable's own address are those that the program's
 * pointer leads to. */
ifl_cuda_error ifl_binary_read_managed(ifl_session *session, ifl_binary *binary)
{
    ifl_cuda_error code = ifl_cudaSuccess;
    ifl_variable_record record;
    for (size_t i = 0; code == ifl_cudaSuccess && variable_at(i, &record); i++) {
        ifl_placed_variable at;
        if (record.binary != binary || !record.managed)
            continue;
        code = ifl_binary_read(session, binary);
        if (code == ifl_cudaSuccess &&
            ifl_session_variable(session, binary->loaded, record.name, &at)) {
            give_to_host(session, &at);
            *record.managed = at.host;
        }
    }
    return code;
}

/* ---- what a program loads itself ------------------------------------------------------------- */

ifl_cuda_error ifl_binary_load(ifl_session *session, const char *name, const void *image,
                               size_t bytes, bool on_all, ifl_binary **out, ifl_error *error)
{
    ifl_binary *binary = ifl_binary_register(NULL, IFL_HANDLE_MODULE);
    ifl_status status = IFL_OK;
    if (!binary)
        return ifl_cudaErrorMemoryAllocation;
    for (int gpu = 0; gpu < ifl_gpu_count() && status == IFL_OK; gpu++)
        if (on_all || gpu == ifl_gpu_chosen())
            status = ifl_session_load(session, name, image, bytes, &binary->on[gpu], error);
    if (status == IFL_OK) {
        binary->loaded = binary->on[ifl_gpu_chosen()];
        *out = binary;
        return ifl_cudaSuccess;
    }
    ifl_binary_unload(session, binary);
    return code_of_load(status);
}

void ifl_binary_unload(ifl_session *session, ifl_binary *binary)
{
    for (int gpu = 0; gpu < IFL_MOST_GPUS; gpu++)
        if (binary->on[gpu])
            ifl_session_unload(session, binary->on[gpu]);
    ifl_binary_forget(binary);
}

bool ifl_binary_variable(ifl_session *session, ifl_binary *binary, const char *name,
                         ifl_placed_variable *out)
{
    if (ifl_binary_read(session, binary) != ifl_cudaSuccess ||
        !ifl_session_variable(session, binary->loaded, name, out))
        return false;
    if (out->is_managed)
        give_to_host(session, out);
    return true;
}

static ifl_function_record *find_named(const ifl_binary *binary, const char *name)
{
    ifl_handles_lock();
    ifl_function_record *found = binary->functions;
    while (found && strcmp(found->name, name) != 0)
        found = found->next;
    ifl_handles_unlock();
    return found;
}

const char *ifl_binary_kernel_name(const ifl_binary *binary, size_t index)
{
    return ifl_session_kernel_name(binary->loaded, index);
}

ifl_cuda_error ifl_function_named(ifl_session *session, ifl_binary *binary, const char *name,
                                  ifl_function_record **out)
{
    ifl_cuda_error code = ifl_binary_read(session, binary);
    ifl_function_record *function = code == ifl_cudaSuccess ? find_named(binary, name) : NULL;
    if (code == ifl_cudaSuccess && !function) {
        ifl_ready_kernel *kernel;
        ifl_error error = {0};
        if (ifl_session_look_up(session, binary->loaded, name, &kernel, &error) == IFL_USAGE)
            return ifl_cudaErrorSymbolNotFound;
        code = add(binary, NULL, name, &function);
    }
    if (code == ifl_cudaSuccess)
        code = ifl_function_resolve(session, function);
    *out = code == ifl_cudaSuccess ? function : NULL;
    return code;
}
