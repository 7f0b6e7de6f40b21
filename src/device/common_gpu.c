/* SPDX-License-Identifier: Apache-2.0
 * Which GPU a kernel is modelled on where nobody says: one of each compute capability, the
 * data-centre GPU that clouds and clusters have most of; where a compute capability has none in
 * devices/, the workstation GPU. */
#include "device/device.h"

static const struct {
    uint32_t sm;
    const char *id;
} common[] = {
    {20, "m2090"}, {30, "k10"},  {35, "k40c"}, {70, "v100"},  {75, "t4"},    {80, "a100-80"},
    {86, "a10"},   {89, "l40s"}, {90, "h100"}, {100, "b200"}, {103, "b300"}, {120, "rtx-pro-6000"},
};
enum { COMMON = sizeof common / sizeof *common };

static bool knows_architecture(uint32_t sm)
{
    for (size_t i = 0; i < COMMON; i++)
        if (common[i].sm / 10 == sm / 10)
            return true;
    return false;
}

const char *ifl_device_common(uint32_t sm)
{
    const bool is_known = knows_architecture(sm);
    for (size_t i = 0; i < COMMON; i++)
        if (common[i].sm >= sm && (!is_known || common[i].sm / 10 == sm / 10))
            return common[i].id;
    return NULL;
}
