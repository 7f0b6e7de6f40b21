/* SPDX-License-Identifier: Apache-2.0
 * Names of the lab for the shell's completion: versions and sweeps of a case, metrics. */
#include "lab.h"
#include "lab_find.h"

#include <string.h>

static ifl_lab *open_case(const char *name)
{
    ifl_cli_cases cases = {0};
    ifl_error ignored = {0};
    ifl_lab *lab = NULL;
    const char *path = name ? ifl_cli_cases_path(&cases, name) : NULL;
    if (name && !path && ifl_cli_cases_find(&cases, &ignored) == IFL_OK)
        path = ifl_cli_cases_path(&cases, name);
    if (path && ifl_lab_open(path, &lab, &ignored) != IFL_OK)
        lab = NULL;
    ifl_cli_cases_free(&cases);
    return lab;
}

void ifl_cli_lab_print_versions(const char *name, FILE *out)
{
    ifl_lab *lab = open_case(name);
    if (!lab)
        return;
    for (size_t v = 0; v < ifl_lab_version_count(lab); v++)
        fprintf(out, "%s\n", ifl_lab_version_name(lab, v));
    ifl_lab_close(lab);
}

static bool find_sweep(const ifl_lab *lab, size_t version, size_t index, ifl_lab_sweep *sweep)
{
    bool found = false;
    return ifl_lab_sweep_at(lab, version, index, sweep, &found, NULL) == IFL_OK && found;
}

/* Does a version before this one have a sweep of that name? */
static bool is_listed(const ifl_lab *lab, size_t version, const char *name)
{
    ifl_lab_sweep sweep;
    for (size_t v = 0; v < version; v++)
        for (size_t i = 0; find_sweep(lab, v, i, &sweep); i++)
            if (strcmp(sweep.name, name) == 0)
                return true;
    return false;
}

void ifl_cli_lab_print_sweeps(const char *name, FILE *out)
{
    ifl_lab *lab = open_case(name);
    ifl_lab_sweep sweep;
    if (!lab)
        return;
    for (size_t v = 0; v < ifl_lab_version_count(lab); v++)
        for (size_t i = 0; find_sweep(lab, v, i, &sweep); i++)
            if (!is_listed(lab, v, sweep.name))
                fprintf(out, "%s\n", sweep.name);
    ifl_lab_close(lab);
}

void ifl_cli_lab_print_metrics(const char *name, FILE *out)
{
    (void)name;
    for (size_t i = 0; ifl_cli_lab_metric_name(i); i++) {
        size_t first = 0;
        while (strcmp(ifl_cli_lab_metric_name(first), ifl_cli_lab_metric_name(i)) != 0)
            first++;
        if (first == i)
            fprintf(out, "%s\n", ifl_cli_lab_metric_name(i));
    }
}
