/* SPDX-License-Identifier: Apache-2.0
 * Modules and libraries: PTX, fat binaries and cubins that a program loads, their kernels and
 * variables. A library is a module, and a kernel's handle is its function's. */
#include "standin/driver_served.h"
#include "standin/image.h"

#include <stdlib.h>

static ifl_binary *module_of(const void *handle)
{
    return ifl_handle_find(IFL_HANDLE_MODULE, handle);
}

/* ---- the logs of the compiler ---------------------------------------------------------------- */

/* CUjit_option: sizes come in the value itself, and go back there. */
enum { INFO_LOG = 3, INFO_BYTES = 4, ERROR_LOG = 5, ERROR_BYTES = 6 };

typedef struct jit {
    unsigned count;
    const int *options;
    void **values;
    bool is_library; /* of all GPUs; a module is the current context's */
} jit;

static void **value_of(const jit *of, int option)
{
    for (unsigned i = 0; i < of->count && of->options && of->values; i++)
        if (of->options[i] == option)
            return &of->values[i];
    return NULL;
}

/* False where the program gave no room. */
static bool fill_log(const jit *of, int log, int log_bytes, const char *text)
{
    void **to = value_of(of, log), **bytes = value_of(of, log_bytes);
    const size_t room = bytes ? (unsigned)(uintptr_t)*bytes : 0, length = strlen(text);
    if (bytes)
        *bytes = (void *)0;
    if (!to || !*to || !room)
        return false;
    const size_t taken = length < room ? length : room - 1;
    memcpy(*to, text, taken);
    ((char *)*to)[taken] = '\0';
    *bytes = (void *)(uintptr_t)(taken ? taken + 1 : 0);
    return true;
}

/* What is wrong goes into the log; where there is none, to stderr. */
static void tell(const jit *of, const ifl_error *error)
{
    char text[sizeof error->text + 64];
    if (error->line)
        snprintf(text, sizeof text, "line %d:%d: error: %s", error->line, error->column,
                 error->text);
    else
        snprintf(text, sizeof text, "error: %s", error->text);
    if (!fill_log(of, ERROR_LOG, ERROR_BYTES, text))
        ifl_state_tell_error(error);
}

/* ---- loading --------------------------------------------------------------------------------- */

static ifl_cuda_error load_into(ifl_session *session, ifl_binary **out, const void *bytes,
                                size_t count, const jit *with)
{
    ifl_error error = {0};
    const ifl_cuda_error code = ifl_binary_load(session, "the program's module", bytes, count,
                                                with->is_library, out, &error);
    if (code == ifl_cudaSuccess) {
        fill_log(with, INFO_LOG, INFO_BYTES, "");
        fill_log(with, ERROR_LOG, ERROR_BYTES, "");
    } else {
        tell(with, &error);
    }
    return code;
}

static ifl_cuda_error load(ifl_binary **out, const void *image, const jit *with)
{
    const void *start;
    if (!out || !image)
        return ifl_cudaErrorInvalidValue;
    const size_t bytes = ifl_image_measure(image, &start);
    SERVE(load_into(session, out, start, bytes, with));
}

static ifl_cuda_error load_file(ifl_binary **out, const char *path, const jit *with)
{
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return path ? (ifl_cuda_error)IFL_CUDA_FILE_NOT_FOUND : ifl_cudaErrorInvalidValue;
    size_t bytes;
    char *image = ifl_image_read(file, &bytes);
    fclose(file);
    const ifl_cuda_error code = image ? load(out, image, with) : ifl_cudaErrorMemoryAllocation;
    free(image);
    return code;
}

static const jit no_options;

IFL_SERVED ifl_cuda_error cuModuleLoad(ifl_binary **out, const char *path)
{
    DRIVE(load_file(out, path, &no_options));
}

IFL_SERVED ifl_cuda_error cuModuleLoadData(ifl_binary **out, const void *image)
{
    DRIVE(load(out, image, &no_options));
}
ALSO(cuModuleLoadFatBinary, cuModuleLoadData);

IFL_SERVED ifl_cuda_error cuModuleLoadDataEx(ifl_binary **out, const void *image, unsigned count,
                                             int *options, void **values)
{
    const jit with = {count, options, values, false};
    DRIVE(load(out, image, &with));
}

IFL_SERVED ifl_cuda_error cuLibraryLoadData(ifl_binary **out, const void *image, int *options,
                                            void **values, unsigned count, int *library_options,
                                            void **library_values, unsigned library_count)
{
    const jit with = {count, options, values, true};
    (void)library_options, (void)library_values, (void)library_count;
    DRIVE(load(out, image, &with));
}

IFL_SERVED ifl_cuda_error cuLibraryLoadFromFile(ifl_binary **out, const char *path, int *options,
                                                void **values, unsigned count, int *library_options,
                                                void **library_values, unsigned library_count)
{
    const jit with = {count, options, values, true};
    (void)library_options, (void)library_values, (void)library_count;
    DRIVE(load_file(out, path, &with));
}

static ifl_cuda_error unload_from(ifl_session *session, ifl_binary *binary)
{
    if (!binary)
        return (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    ifl_binary_unload(session, binary);
    return ifl_cudaSuccess;
}

static ifl_cuda_error unload(const void *module)
{
    SERVE(unload_from(session, module_of(module)));
}

IFL_SERVED ifl_cuda_error cuModuleUnload(const void *module)
{
    DRIVE(unload(module));
}
ALSO(cuLibraryUnload, cuModuleUnload);

/* ---- what is in them ------------------------------------------------------------------------- */

static ifl_cuda_error find_in(ifl_session *session, ifl_function_record **out, const void *module,
                              const char *name)
{
    ifl_binary *binary = module_of(module);
    if (!binary || !name || !out)
        return binary ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    return ifl_function_named(session, binary, name, out);
}

static ifl_cuda_error find(ifl_function_record **out, const void *module, const char *name)
{
    SERVE(find_in(session, out, module, name));
}

IFL_SERVED ifl_cuda_error cuModuleGetFunction(ifl_function_record **out, void *module,
                                              const char *name)
{
    DRIVE(find(out, module, name));
}
ALSO(cuLibraryGetKernel, cuModuleGetFunction);

static ifl_cuda_error count_in(ifl_session *session, unsigned *out, const void *module)
{
    ifl_binary *binary = module_of(module);
    if (!binary || !out)
        return binary ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    const ifl_cuda_error code = ifl_binary_read(session, binary);
    for (*out = 0; code == ifl_cudaSuccess && ifl_binary_kernel_name(binary, *out);)
        ++*out;
    return code;
}

static ifl_cuda_error count(unsigned *out, const void *module)
{
    SERVE(count_in(session, out, module));
}

IFL_SERVED ifl_cuda_error cuLibraryGetKernelCount(unsigned *out, void *library)
{
    DRIVE(count(out, library));
}
ALSO(cuModuleGetFunctionCount, cuLibraryGetKernelCount);

static ifl_cuda_error list_in(ifl_session *session, ifl_function_record **out, unsigned most,
                              const void *module)
{
    unsigned kernels = 0;
    ifl_cuda_error code = out ? count_in(session, &kernels, module) : ifl_cudaErrorInvalidValue;
    for (unsigned i = 0; i < most && i < kernels && code == ifl_cudaSuccess; i++)
        code = find_in(session, &out[i], module, ifl_binary_kernel_name(module_of(module), i));
    return code;
}

static ifl_cuda_error list(ifl_function_record **out, unsigned most, const void *module)
{
    SERVE(list_in(session, out, most, module));
}

IFL_SERVED ifl_cuda_error cuLibraryEnumerateKernels(ifl_function_record **out, unsigned most,
                                                    void *library)
{
    DRIVE(list(out, most, library));
}
ALSO(cuModuleEnumerateFunctions, cuLibraryEnumerateKernels);

static ifl_cuda_error variable_in(ifl_session *session, uintptr_t *address, size_t *bytes,
                                  const void *module, const char *name)
{
    ifl_placed_variable a;
    ifl_binary *binary = module_of(module);
    if (!binary || !name)
        return binary ? ifl_cudaErrorInvalidValue : (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE;
    if (!ifl_binary_variable(session, binary, name, &a))
        return (ifl_cuda_error)IFL_CUDA_NOT_FOUND;
    if (address)
        *address = a.address;
    if (bytes)
        *bytes = a.bytes;
    return ifl_cudaSuccess;
}

static ifl_cuda_error variable(uintptr_t *address, size_t *bytes, const void *module,
                               const char *name)
{
    SERVE(variable_in(session, address, bytes, module, name));
}

IFL_SERVED ifl_cuda_error cuModuleGetGlobal_v2(uintptr_t *address, size_t *bytes, void *module,
                                               const char *name)
{
    DRIVE(variable(address, bytes, module, name));
}
ALSO(cuLibraryGetGlobal, cuModuleGetGlobal_v2);
ALSO(cuLibraryGetManaged, cuModuleGetGlobal_v2);

/* ---- handles that are others' too ------------------------------------------------------------ */

static ifl_cuda_error same(void **out, void *handle, bool is_one)
{
    if (!out || !is_one)
        return out ? (ifl_cuda_error)IFL_CUDA_INVALID_HANDLE : ifl_cudaErrorInvalidValue;
    *out = handle;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuLibraryGetModule(void **out, void *library)
{
    DRIVE(same(out, library, module_of(library) != NULL));
}

IFL_SERVED ifl_cuda_error cuKernelGetFunction(void **out, void *kernel)
{
    DRIVE(same(out, kernel, ifl_function_of(kernel) != NULL));
}

static ifl_cuda_error owner(void **out, const void *handle)
{
    const ifl_function_record *function = ifl_function_of(handle);
    return same(out, function ? function->binary : NULL, function != NULL);
}

IFL_SERVED ifl_cuda_error cuFuncGetModule(void **out, void *function)
{
    DRIVE(owner(out, function));
}
ALSO(cuKernelGetLibrary, cuFuncGetModule);

IFL_SERVED ifl_cuda_error cuModuleGetLoadingMode(int *mode)
{
    enum { LAZY = 2 };
    DRIVE_EARLY(mode ? (*mode = LAZY, ifl_cudaSuccess) : ifl_cudaErrorInvalidValue);
}

static ifl_cuda_error is_loaded(int *state, const void *function)
{
    enum { LOADED = 1 };
    void *unused;
    const ifl_cuda_error code = owner(&unused, function);
    if (code != ifl_cudaSuccess || !state)
        return code != ifl_cudaSuccess ? code : ifl_cudaErrorInvalidValue;
    *state = LOADED;
    return ifl_cudaSuccess;
}

IFL_SERVED ifl_cuda_error cuFuncIsLoaded(int *state, void *function)
{
    DRIVE(is_loaded(state, function));
}

IFL_SERVED ifl_cuda_error cuFuncLoad(void *function)
{
    void *unused;
    DRIVE(owner(&unused, function));
}
