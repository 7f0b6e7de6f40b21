/* SPDX-License-Identifier: Apache-2.0
 * Pages about GPUs: the table of all, one in full with its sources, the fields that a description
 * can have, and occupancy on several GPUs side by side. */
#include "arch/cache_rules.h"
#include "base/figure.h"
#include "device/device.h"
#include "report/page.h"
#include "report/writer.h"

#include <string.h>

enum { WIDE = 90 }; /* columns of a page that has room for all figures */

static ifl_status finish(ifl_page *page, ifl_error *error)
{
    ifl_arena_free(&page->arena);
    if (page->no_memory)
        return ifl_fail(error, IFL_NO_MEMORY, "out of memory for the page");
    if (fflush(page->out) != 0 || ferror(page->out))
        return ifl_report_fail_stream("page", error);
    return IFL_OK;
}

/* ---- a figure in the unit that people say it in ---------------------------------------------- */

static const struct {
    const char *unit; /* as in the table of fields */
    double divisor;
    const char *shown;
} scales[] = {
    {"Hz", 1e6, "MHz"},        {"B/s", 1e9, "GB/s"},   {"bytes", 1073741824, "GiB"},
    {"bytes", 1048576, "MiB"}, {"bytes", 1024, "KiB"},
};

/* 64, 0.92, 140.4, 4,800. */
static const char *figure(ifl_page *page, double value)
{
    return value >= 1000 && value < 1e19
               ? ifl_arena_printf(&page->arena, "%s",
                                  ifl_figure_count((uint64_t)(value + 0.5)).text)
               : ifl_arena_printf(&page->arena, "%.4g", value);
}

/* A version: 9.0 has its dot. */
static const char *shown_capability(ifl_page *page, const ifl_device *device)
{
    return ifl_arena_printf(&page->arena, "%.1f", device->value[IFL_DEVICE_compute_capability]);
}

static const char *shown_value(ifl_page *page, const ifl_device *device, ifl_device_field field)
{
    double value = device->value[field];
    const char *unit = ifl_field_get(field)->unit;
    if (!device->known[field])
        return "not known";
    if (field == IFL_DEVICE_compute_capability)
        return shown_capability(page, device);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (strcmp(unit, scales[i].unit) == 0 && value >= scales[i].divisor) {
            value /= scales[i].divisor;
            unit = scales[i].shown;
            break;
        }
    const char *text = figure(page, value);
    return text && *unit ? ifl_arena_printf(&page->arena, "%s %s", text, unit) : text;
}

/* ---- all GPUs -------------------------------------------------------------------------------- */

static const ifl_column list_columns[] = {
    {{"GPU", NULL}, false, 0, false},   {{"", NULL}, false, 0, false},
    {{"CC", NULL}, true, 0, false},     {{"SMs", NULL}, true, 0, false},
    {{"MHz", NULL}, true, 0, false},    {{"L1+shared", "KiB per SM"}, true, WIDE, false},
    {{"L2", "MiB"}, true, 0, false},    {{"DRAM", "GiB"}, true, 0, false},
    {{"DRAM", "GB/s"}, true, 0, false}, {{"warps", "per SM"}, true, 0, false},
};

static void add_device(ifl_page *page, ifl_table *table, const ifl_device *device)
{
    static const struct {
        ifl_device_field field;
        double divisor;
    } shown[] = {{IFL_DEVICE_sms, 1},
                 {IFL_DEVICE_clock_hz, 1e6},
                 {IFL_DEVICE_l1_bytes_per_sm, 1024},
                 {IFL_DEVICE_l2_bytes, 1048576},
                 {IFL_DEVICE_dram_bytes, 1073741824},
                 {IFL_DEVICE_dram_bytes_per_s, 1e9},
                 {IFL_DEVICE_max_warps_per_sm, 1}};
    enum { FIRST = 3 };
    ifl_row row = {.cell = {ifl_arena_printf(&page->arena, "%s", device->id),
                            ifl_arena_printf(&page->arena, "%s", device->name),
                            shown_capability(page, device)}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        row.cell[i + FIRST] = !device->known[shown[i].field]
                                  ? ""
                                  : figure(page, device->value[shown[i].field] / shown[i].divisor);
    ifl_table_add(page, table, &row);
}

/* Prints the table if all of its rows are there. */
static ifl_status end_with_table(ifl_page *page, ifl_table *table, ifl_status status,
                                 ifl_error *error)
{
    if (status == IFL_OK)
        ifl_table_print(page, table);
    else
        ifl_vec_free(&table->rows);
    const ifl_status end = finish(page, status == IFL_OK ? error : NULL);
    return status == IFL_OK ? end : status;
}

static ifl_status add_listed(ifl_page *page, ifl_table *table, const char *file, ifl_error *error)
{
    char name[64];
    ifl_device *device;
    snprintf(name, sizeof name, "%.*s", (int)(strlen(file) - strlen(".gpu")), file);
    ifl_status status = ifl_device_open(name, &device, error);
    if (status != IFL_OK)
        return status;
    add_device(page, table, device);
    ifl_device_close(device);
    return IFL_OK;
}

static ifl_status write_list(int width, FILE *out, ifl_error *error)
{
    ifl_page page = {.out = out, .width = width};
    ifl_table table = {.columns = list_columns,
                       .column_count = sizeof list_columns / sizeof *list_columns};
    ifl_status status = IFL_OK;
    for (size_t i = 0; ifl_device_id(i) && status == IFL_OK; i++)
        status = add_listed(&page, &table, ifl_device_id(i), error);
    return end_with_table(&page, &table, status, error);
}

/* ---- one GPU --------------------------------------------------------------------------------- */

/* What its compute capability fixes; docs/facts.md has the figures of it. */
static void add_cache_rules(ifl_page *page, ifl_table *table, double compute_capability)
{
    ifl_cache_rules rules;
    if (!ifl_cache_rules_find(compute_capability, &rules))
        return;
    ifl_row row = {.cell = {"how loads and stores use the caches", "", rules.source}};
    ifl_table_add(page, table, &row);
}

ifl_status ifl_devices_write(const ifl_device *device, int width, FILE *out, ifl_error *error)
{
    static const ifl_column columns[] = {{{"", NULL}, false, 0, true},
                                         {{"", NULL}, true, 0, false},
                                         {{"source", NULL}, false, 0, true}};
    if (!device)
        return write_list(width, out, error);
    ifl_page page = {.out = out, .width = width};
    ifl_table table = {.columns = columns, .column_count = 3, .indent = 2};
    fprintf(out, "%s (%s)\n", device->name, device->id);
    for (int f = 0; f < IFL_DEVICE_FIELDS; f++) {
        ifl_row row = {.cell = {ifl_field_get(f)->doc, shown_value(&page, device, f),
                                device->known[f] ? device->source[f] : ""}};
        ifl_table_add(&page, &table, &row);
    }
    add_cache_rules(&page, &table, device->value[IFL_DEVICE_compute_capability]);
    ifl_table_print(&page, &table);
    return finish(&page, error);
}

ifl_status ifl_device_fields_write(int width, FILE *out, ifl_error *error)
{
    static const ifl_column columns[] = {{{"key", NULL}, false, 0, false},
                                         {{"unit", NULL}, false, 0, false},
                                         {{"", NULL}, false, 0, false},
                                         {{"", NULL}, false, 0, true}};
    ifl_page page = {.out = out, .width = width};
    ifl_table table = {.columns = columns, .column_count = 4};
    for (int f = 0; f < IFL_DEVICE_FIELDS; f++) {
        const ifl_field_info *info = ifl_field_get(f);
        ifl_row row = {.cell = {info->name, info->unit, info->needed ? "needed" : "", info->doc}};
        ifl_table_add(&page, &table, &row);
    }
    ifl_table_print(&page, &table);
    return finish(&page, error);
}

/* ---- occupancy ------------------------------------------------------------------------------- */

/* A table without a grid or clusters has fewer of them. */
enum { HELD_COLUMNS = 4, WAVE_COLUMNS = 3, STEP_COLUMNS = 2, MOST_COLUMNS = 10 };
static const ifl_column held_columns[HELD_COLUMNS] = {{{"GPU", NULL}, false, 0, false},
                                                      {{"blocks", "per SM"}, true, 0, false},
                                                      {{"warps", "per SM"}, true, 0, false},
                                                      {{"occu-", "pancy"}, true, 0, false}};
static const ifl_column cluster_column = {{"clusters", "per GPU"}, true, 0, false};
static const ifl_column wave_columns[WAVE_COLUMNS] = {{{"waves", NULL}, true, 0, false},
                                                      {{"last", "wave"}, true, WIDE, false},
                                                      {{"effi-", "ciency"}, true, WIDE, false}};
static const ifl_column step_columns[STEP_COLUMNS] = {{{"limited by", NULL}, false, 0, false},
                                                      {{"the next step", NULL}, false, 0, true}};

static size_t choose_columns(const ifl_occupancy_request *request, ifl_column *to)
{
    size_t count = 0;
    for (size_t i = 0; i < HELD_COLUMNS; i++)
        to[count++] = held_columns[i];
    if (request->cluster > 1)
        to[count++] = cluster_column;
    for (size_t i = 0; i < WAVE_COLUMNS && request->blocks; i++)
        to[count++] = wave_columns[i];
    for (size_t i = 0; i < STEP_COLUMNS; i++)
        to[count++] = step_columns[i];
    return count;
}

/* One resource around the value that is asked for. */
typedef struct cliff {
    const char *unit;
    int now, for_more, before_fewer;
} cliff;

/* "8 registers fewer: 8 blocks; 1 more: 5": the nearest steps on both sides. `value` is in the
 * request. */
static const char *describe_cliff(ifl_page *page, const ifl_device *device,
                                  ifl_occupancy_request *request, int *value, const cliff *c)
{
    ifl_occupancy more, fewer;
    *value = c->before_fewer + 1;
    ifl_occupancy_compute(device, request, &fewer, NULL);
    if (c->for_more < 0)
        return ifl_arena_printf(
            &page->arena, "%s more: %s",
            ifl_figure_counted((uint64_t)(c->before_fewer + 1 - c->now), c->unit).text,
            ifl_figure_counted((uint64_t)fewer.blocks_per_sm, "block").text);
    *value = c->for_more;
    ifl_occupancy_compute(device, request, &more, NULL);
    return ifl_arena_printf(&page->arena, "%s fewer: %s; %s more: %d",
                            ifl_figure_counted((uint64_t)(c->now - c->for_more), c->unit).text,
                            ifl_figure_counted((uint64_t)more.blocks_per_sm, "block").text,
                            ifl_figure_count((uint64_t)(c->before_fewer + 1 - c->now)).text,
                            fewer.blocks_per_sm);
}

static const char *next_step(ifl_page *page, const ifl_device *device,
                             const ifl_occupancy_request *request, const ifl_occupancy *o)
{
    ifl_occupancy_request r = *request;
    if (!o->blocks_per_sm)
        return "no block fits";
    if (strcmp(o->limiter, "registers") == 0)
        return describe_cliff(
            page, device, &r, &r.registers,
            &(cliff){"register", r.registers, o->registers_for_more, o->registers_before_fewer});
    if (strcmp(o->limiter, "shared memory") == 0)
        return describe_cliff(
            page, device, &r, &r.shared_bytes,
            &(cliff){"byte", r.shared_bytes, o->shared_for_more, o->shared_before_fewer});
    return ifl_arena_printf(
        &page->arena, "as many fit with up to %s and %s of shared memory",
        ifl_figure_counted((uint64_t)o->registers_before_fewer, "register").text,
        ifl_figure_counted((uint64_t)o->shared_before_fewer, "byte").text);
}

/* 100 %, 66.7 %, 2.4 % */
static const char *percent(ifl_page *page, double share)
{
    return ifl_arena_printf(&page->arena, "%s",
                            ifl_figure_percent((uint64_t)(share * 1e6 + 0.5), 1000000).text);
}

/* "12.5", "50 %", "98.1 %": waves, how full the last one is, and the share of the time that is
 * worked in. */
static size_t add_waves(ifl_page *page, const ifl_device *device,
                        const ifl_occupancy_request *request, int blocks_per_sm, ifl_row *row,
                        size_t next)
{
    ifl_waves w;
    ifl_waves_compute(device, request->blocks, blocks_per_sm, request->cluster, &w);
    const double last = w.partial_wave > 0 ? w.partial_wave : 1;
    row->cell[next++] =
        w.wave_blocks ? ifl_arena_printf(&page->arena, "%s", ifl_figure_real(w.waves).text) : "";
    row->cell[next++] = w.wave_blocks ? percent(page, last) : "";
    row->cell[next++] = w.wave_blocks ? percent(page, w.tail_efficiency) : "";
    return next;
}

static ifl_status add_occupancy(ifl_page *page, ifl_table *table, const ifl_device *device,
                                const ifl_occupancy_request *request, ifl_error *error)
{
    ifl_occupancy o;
    ifl_status status = ifl_occupancy_compute(device, request, &o, error);
    if (status != IFL_OK)
        return status;
    ifl_row row = {
        .cell = {device->id, ifl_arena_printf(&page->arena, "%d", o.blocks_per_sm),
                 ifl_arena_printf(&page->arena, "%d of %d", o.warps_per_sm, o.max_warps_per_sm),
                 percent(page, o.theoretical)}};
    size_t next = HELD_COLUMNS;
    if (request->cluster > 1)
        row.cell[next++] = ifl_arena_printf(&page->arena, "%s", ifl_figure_count(o.clusters).text);
    /* None where there are no clusters, or none fits. */
    const int running = request->cluster > 1 && !o.clusters ? 0 : o.blocks_per_sm;
    if (request->blocks)
        next = add_waves(page, device, request, running, &row, next);
    row.cell[next] = o.limiter;
    row.cell[next + 1] = next_step(page, device, request, &o);
    ifl_table_add(page, table, &row);
    return IFL_OK;
}

ifl_status ifl_occupancy_write(const ifl_device *const *devices, size_t count,
                               const ifl_occupancy_request *request, int width, FILE *out,
                               ifl_error *error)
{
    ifl_page page = {.out = out, .width = width};
    ifl_column columns[MOST_COLUMNS];
    ifl_table table = {.columns = columns, .column_count = choose_columns(request, columns)};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < count && status == IFL_OK; i++)
        status = add_occupancy(&page, &table, devices[i], request, error);
    return end_with_table(&page, &table, status, error);
}
