/* SPDX-License-Identifier: Apache-2.0
 * Runs a case of the lab at its full sizes on the engine and writes what the model reads of it,
 * with the caches of the GPUs that were measured or published. tests/model/make-inputs calls it. */
#include "inputs.h"

#include "lab/lab_api.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 16, MOST_PATH = 512 };

typedef struct devices {
    char names[MOST_DEVICES][64];
    ifl_device *at[MOST_DEVICES];
    size_t count;
} devices;

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void add_device(devices *d, const char *name)
{
    ifl_error error = {0};
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->names[i], name) == 0)
            return;
    if (d->count == MOST_DEVICES || ifl_device_open(name, &d->at[d->count], &error) != IFL_OK)
        return;
    snprintf(d->names[d->count++], sizeof d->names[0], "%s", name);
}

/* "gpu.k40c = k40c@875" says how the case's k40c was run. */
static const char *device_of(const ifl_lab *lab, const char *name)
{
    char key[80];
    snprintf(key, sizeof key, "gpu.%s", name);
    const char *told = ifl_lab_text(lab, IFL_LAB_COMMON, key);
    return told ? told : name;
}

static void add_published(devices *d, const ifl_lab *lab, size_t version)
{
    const ifl_lab_point point = {.version = version};
    ifl_lab_figure figure;
    ifl_error error = {0};
    bool found = true;
    for (size_t i = 0; found; i++)
        if (ifl_lab_figure_at(lab, &point, IFL_LAB_PUBLISHED, i, &figure, &found, &error) !=
                IFL_OK ||
            (found && figure.gpu[0]))
            add_device(d, device_of(lab, figure.gpu));
}

/* ---- running --------------------------------------------------------------------------------- */

/* The next kernel goes on with what the one before it left in the buffers. */
static void hand_over(ifl_launch *from, ifl_launch *to)
{
    ifl_error error = {0};
    for (size_t i = 0; from && i < ifl_launch_argument_count(from); i++) {
        ifl_launch_argument_info old, fresh;
        if (ifl_launch_argument_at(from, i, &old, &error) == IFL_OK &&
            ifl_launch_argument_at(to, i, &fresh, &error) == IFL_OK && old.is_buffer &&
            old.bytes == fresh.bytes)
            memcpy(fresh.data, old.data, old.bytes);
    }
}

static bool run_version(ifl_lab *lab, const devices *d, size_t version, FILE *out)
{
    const ifl_lab_point point = {.version = version};
    const ifl_run_options options = {.devices = (const ifl_device *const *)d->at,
                                     .device_count = d->count};
    ifl_error error = {0};
    ifl_launch *before = NULL;
    size_t kernels = 0;
    ifl_status status = ifl_lab_kernel_count(lab, &point, &kernels, &error);
    fprintf(out, "row %s\n", ifl_lab_version_name(lab, version));
    for (size_t k = 0; k < kernels && status == IFL_OK; k++) {
        ifl_launch *launch = NULL;
        ifl_profile *profile = NULL;
        status = ifl_lab_launch(lab, &point, k, &launch, &error);
        if (status == IFL_OK) /* the formula of PTX is what they are for */
            status = ifl_launch_set(launch, "code", "ptx", &error);
        if (status == IFL_OK) {
            hand_over(before, launch);
            status = ifl_launch_run(launch, &options, &profile, &error);
        }
        if (status == IFL_OK)
            inputs_write(profile, out);
        ifl_profile_free(profile);
        ifl_launch_free(before);
        before = launch;
    }
    ifl_launch_free(before);
    if (status != IFL_OK)
        fprintf(stderr, "%s: %s\n", ifl_lab_version_name(lab, version), error.text);
    return status == IFL_OK;
}

int main(int count, char **words)
{
    devices d = {.count = 0};
    ifl_error error = {0};
    ifl_lab *lab = NULL;
    bool fine = (count == 3 || count == 4) && ifl_lab_open(words[1], &lab, &error) == IFL_OK;
    FILE *out = fine ? fopen(words[2], "w") : NULL;
    if (!out) {
        fprintf(stderr, "usage: model_inputs CASE.lab CASE.inputs [VERSION]\n%s\n", error.text);
        return 2;
    }
    fputs("# SPDX-License-Identifier: Apache-2.0\n"
          "# Made by tests/model/make-inputs: runs of the engine at full size.\n",
          out);
    add_device(&d, "h200");
    for (size_t v = 0; v < ifl_lab_version_count(lab); v++)
        add_published(&d, lab, v);
    for (size_t v = 0; v < ifl_lab_version_count(lab); v++) {
        const char *role = ifl_lab_text(lab, v, "role");
        const bool is_asked = count == 3 || strcmp(words[3], ifl_lab_version_name(lab, v)) == 0;
        const bool is_kernel = !ifl_lab_text(lab, v, "call"); /* else a library's */
        if (is_asked && is_kernel && (!role || strcmp(role, "check") != 0))
            fine &= run_version(lab, &d, v, out);
    }
    fine &= fclose(out) == 0;
    ifl_lab_close(lab);
    while (d.count)
        ifl_device_close(d.at[--d.count]);
    return fine ? 0 : 1;
}
