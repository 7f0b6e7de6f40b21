/* SPDX-License-Identifier: Apache-2.0
 * See ptxas.h. Knows a program and its files, neither PTX nor machine code. */
#include "compile/ptxas.h"

#include "base/file.h"
#include "base/process.h"
#include "compile/assembled.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_CUBIN_BYTES = 1 << 28, MAX_LOG_BYTES = 1 << 20 };

static bool find(char program[IFL_PATH_BYTES])
{
    const char *wanted = getenv("INFLIGHT_PTXAS");
    if (!wanted || !*wanted)
        return ifl_program_find("ptxas", "/usr/local/cuda/bin", program);
    if (strcmp(wanted, "none") == 0 || strlen(wanted) >= IFL_PATH_BYTES)
        return false;
    strcpy(program, wanted);
    return true;
}

static ifl_status write_text(const char *path, const ifl_ptx_source *source, ifl_error *error)
{
    FILE *out = fopen(path, "wb");
    if (!out)
        return ifl_fail_file(error, "write", path);
    const bool is_written = fwrite(source->text, 1, source->bytes, out) == source->bytes;
    return fclose(out) == 0 && is_written ? IFL_OK : ifl_fail_file(error, "write", path);
}

static ifl_status fail_run(const char *log_path, ifl_error *error)
{
    char *log;
    size_t bytes;
    const ifl_status status = ifl_file_read(log_path, MAX_LOG_BYTES, &log, &bytes, error);
    if (status != IFL_OK)
        return status;
    for (char *end = log; (end = strchr(end, '\n'));) /* a warning of a page is one paragraph */
        *end = ' ';
    ifl_fail(error, IFL_BAD_INPUT, "ptxas does not take it: %.600s",
             bytes ? log : "it gives no reason");
    free(log);
    return IFL_BAD_INPUT;
}

typedef struct files {
    char ptx[IFL_PATH_BYTES], cubin[IFL_PATH_BYTES], log[IFL_PATH_BYTES];
} files;

static ifl_status run(const char *program, const ifl_ptx_source *source, const ifl_scratch *scratch,
                      const files *f, ifl_error *error)
{
    char target[32], most_registers[32];
    int code = 0;
    snprintf(target, sizeof target, "-arch=sm_%s", source->arch);
    snprintf(most_registers, sizeof most_registers, "-maxrregcount=%u", source->most_registers);
    const char *const words[] = {program,
                                 "--generate-line-info",
                                 target,
                                 "-o",
                                 f->cubin,
                                 f->ptx,
                                 source->most_registers ? most_registers : NULL,
                                 NULL};
    const ifl_process process = {
        .words = words, .log = f->log, .temporary = scratch->path, .group = scratch->keeper};
    const ifl_status status = ifl_process_run(&process, &code, error);
    return status == IFL_OK && code ? fail_run(f->log, error) : status;
}

static ifl_status assemble(const char *program, const ifl_ptx_source *source, char **cubin,
                           size_t *size, ifl_error *error)
{
    ifl_scratch scratch;
    files f;
    ifl_status status = ifl_scratch_make(&scratch, error);
    if (status != IFL_OK)
        return status;
    if (!ifl_scratch_path(&scratch, "kernel.ptx", f.ptx) ||
        !ifl_scratch_path(&scratch, "kernel.cubin", f.cubin) ||
        !ifl_scratch_path(&scratch, "log", f.log))
        status = ifl_fail(error, IFL_NO_FILE, "the path in TMPDIR is too long");
    if (status == IFL_OK)
        status = write_text(f.ptx, source, error);
    if (status == IFL_OK)
        status = run(program, source, &scratch, &f, error);
    if (status == IFL_OK)
        status = ifl_file_read(f.cubin, MAX_CUBIN_BYTES, cubin, size, error);
    ifl_scratch_remove(&scratch);
    return status;
}

/* What the machine code depends on: the text, the options, and which ptxas it is. */
static void key_of(const char *program, const ifl_ptx_source *source, char key[IFL_SHA256_TEXT])
{
    struct stat about = {0};
    char version[96];
    ifl_sha256 hash;
    stat(program, &about);
    snprintf(version, sizeof version, "%lld %lld %u", (long long)about.st_size,
             (long long)about.st_mtime, source->most_registers);
    ifl_sha256_start(&hash);
    ifl_sha256_add_text(&hash, program);
    ifl_sha256_add_text(&hash, version);
    ifl_sha256_add_text(&hash, source->arch);
    ifl_sha256_add(&hash, source->text, source->bytes);
    ifl_sha256_end(&hash, key);
}

ifl_status ifl_ptx_assemble(const ifl_ptx_source *source, char **cubin, size_t *size,
                            ifl_error *error)
{
    char program[IFL_PATH_BYTES], key[IFL_SHA256_TEXT];
    *cubin = NULL;
    if (!find(program))
        return IFL_OK;
    key_of(program, source, key);
    if (ifl_assembled_read(key, cubin, size))
        return IFL_OK;
    const ifl_status status = assemble(program, source, cubin, size, error);
    if (status == IFL_OK)
        ifl_assembled_write(key, *cubin, *size);
    return status;
}
