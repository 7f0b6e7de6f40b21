/* SPDX-License-Identifier: Apache-2.0
 * GPUs and their occupancy as JSON: the figures of report_device.c. */
#include "device/device.h"
#include "report/tree.h"

#include <string.h>

static json_t *make_figures(ifl_tree *tree, const ifl_device *device)
{
    json_t *figures = json_object();
    for (int f = 0; f < IFL_DEVICE_FIELDS; f++) {
        json_t *figure = device->known[f] ? json_object() : NULL;
        if (!device->known[f])
            continue;
        ifl_tree_put_real(tree, figure, "value", device->value[f]);
        ifl_tree_put_text(tree, figure, "unit",
                          *ifl_field_get(f)->unit ? ifl_field_get(f)->unit : NULL);
        ifl_tree_put_text(tree, figure, "source", device->source[f]);
        ifl_tree_put(tree, figures, ifl_field_get(f)->name, figure);
    }
    return figures;
}

static void add_device(ifl_tree *tree, json_t *list, const ifl_device *device)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "gpu", device->id);
    ifl_tree_put_text(tree, object, "name", device->name);
    ifl_tree_put(tree, object, "figures", make_figures(tree, device));
    ifl_tree_append(tree, list, object);
}

static ifl_status add_built_in(ifl_tree *tree, json_t *list, ifl_error *error)
{
    for (size_t i = 0; ifl_device_id(i); i++) {
        char name[64];
        ifl_device *device;
        snprintf(name, sizeof name, "%.*s", (int)(strlen(ifl_device_id(i)) - strlen(".gpu")),
                 ifl_device_id(i));
        const ifl_status status = ifl_device_open(name, &device, error);
        if (status != IFL_OK)
            return status;
        add_device(tree, list, device);
        ifl_device_close(device);
    }
    return IFL_OK;
}

static json_t *start(ifl_tree *tree, const char *schema, const char *key, json_t **list)
{
    json_t *root = json_object();
    *list = json_array();
    ifl_tree_put_text(tree, root, "schema", schema);
    ifl_tree_put(tree, root, key, *list);
    return root;
}

ifl_status ifl_devices_json(const ifl_device *const *devices, size_t count, FILE *out,
                            ifl_error *error)
{
    ifl_tree tree = {0};
    json_t *list, *root = start(&tree, "inflight-devices/1", "devices", &list);
    const ifl_status status = count ? IFL_OK : add_built_in(&tree, list, error);
    for (size_t i = 0; i < count; i++)
        add_device(&tree, list, devices[i]);
    return ifl_tree_finish(&tree, root, status, out, error);
}

static void put_waves(ifl_tree *tree, json_t *object, const ifl_device *device,
                      const ifl_occupancy_request *request, int blocks_per_sm)
{
    ifl_waves w;
    ifl_waves_compute(device, request->blocks, blocks_per_sm, request->cluster, &w);
    if (!w.wave_blocks)
        return;
    ifl_tree_put_real(tree, object, "waves", w.waves);
    ifl_tree_put_real(tree, object, "partial_wave", w.partial_wave);
    ifl_tree_put_real(tree, object, "tail_efficiency", w.tail_efficiency);
}

/* What is -1 has no step. */
static void put_step(ifl_tree *tree, json_t *object, const char *key, int value)
{
    if (value >= 0)
        ifl_tree_put_count(tree, object, key, (uint64_t)value);
}

static ifl_status add_occupancy(ifl_tree *tree, json_t *list, const ifl_device *device,
                                const ifl_occupancy_request *request, ifl_error *error)
{
    ifl_occupancy o;
    const ifl_status status = ifl_occupancy_compute(device, request, &o, error);
    if (status != IFL_OK)
        return status;
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "gpu", device->id);
    ifl_tree_put_count(tree, object, "blocks_per_sm", (uint64_t)o.blocks_per_sm);
    ifl_tree_put_count(tree, object, "warps_per_sm", (uint64_t)o.warps_per_sm);
    ifl_tree_put_count(tree, object, "max_warps_per_sm", (uint64_t)o.max_warps_per_sm);
    ifl_tree_put_real(tree, object, "occupancy_theoretical", o.theoretical);
    ifl_tree_put_text(tree, object, "occupancy_limiter", o.limiter);
    if (request->cluster > 1)
        ifl_tree_put_count(tree, object, "clusters", o.clusters);
    put_step(tree, object, "registers_for_more", o.registers_for_more);
    put_step(tree, object, "registers_before_fewer", o.registers_before_fewer);
    put_step(tree, object, "shared_for_more", o.shared_for_more);
    put_step(tree, object, "shared_before_fewer", o.shared_before_fewer);
    if (request->blocks && (request->cluster <= 1 || o.clusters))
        put_waves(tree, object, device, request, o.blocks_per_sm);
    ifl_tree_append(tree, list, object);
    return IFL_OK;
}

ifl_status ifl_occupancy_json(const ifl_device *const *devices, size_t count,
                              const ifl_occupancy_request *request, FILE *out, ifl_error *error)
{
    ifl_tree tree = {0};
    json_t *list, *root = start(&tree, "inflight-occupancy/1", "occupancy", &list);
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = add_occupancy(&tree, list, devices[i], request, error);
    return ifl_tree_finish(&tree, root, status, out, error);
}
