/* SPDX-License-Identifier: Apache-2.0
 * See cuda_options.h. */
#include "compile/cuda_options.h"

#include "base/process.h"

#include <stdlib.h>
#include <string.h>

static ifl_status check_word(const char *word, ifl_error *error)
{
    const bool is_known = word[0] == '-' && (word[1] == 'I' || word[1] == 'D') && word[2];
    if (!is_known)
        return ifl_fail(error, IFL_USAGE,
                        "'%.200s' is not an option for the compiler of a .cu file; the options "
                        "are -IFOLDER and -DNAME",
                        word);
    if (!ifl_shell_is_plain(word))
        return ifl_fail(error, IFL_USAGE, "'%.200s' has a character that is special to a shell",
                        word);
    return IFL_OK;
}

ifl_status ifl_cuda_options_read(ifl_cuda_options *options, ifl_error *error)
{
    const char *given = getenv("INFLIGHT_CUDA_OPTIONS");
    ifl_status status = IFL_OK;
    options->count = 0;
    if (!given || !*given)
        return IFL_OK;
    if ((size_t)snprintf(options->text, sizeof options->text, "%s", given) >= sizeof options->text)
        return ifl_fail(error, IFL_USAGE, "the options for the compiler are longer than %d bytes",
                        IFL_CUDA_OPTION_BYTES);
    for (char *rest = options->text, *word;
         status == IFL_OK && (word = strtok_r(NULL, "\n", &rest)) != NULL;) {
        if (options->count == IFL_MOST_CUDA_OPTIONS)
            return ifl_fail(error, IFL_USAGE, "more than %d options for the compiler",
                            IFL_MOST_CUDA_OPTIONS);
        options->words[options->count++] = word;
        status = check_word(word, error);
    }
    return status;
}
