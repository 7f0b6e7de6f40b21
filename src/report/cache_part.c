/* SPDX-License-Identifier: Apache-2.0
 * Hit rates and DRAM bytes, a row a GPU, each with its bounds. */
#include "report/cache_part.h"

#include "base/figure.h"

#include <string.h>

enum { INDENT = 2, WIDE = 90 };

/* ---- text ------------------------------------------------------------------------------------ */

static const ifl_column columns[] = {
    {{"", "GPU"}, false, 0, false},           {{"L1 hits,", "loads"}, true, 0, false},
    {{"L2 hits,", "loads"}, true, 0, false},  {{"DRAM", "read"}, true, 0, false},
    {{"DRAM", "written"}, true, WIDE, false},
};

static double share(double part, double whole)
{
    return whole > 0 ? 100 * part / whole : 0;
}

/* "49 % (47–67)", or "49 %" where the bounds say the same. */
static const char *percent_text(ifl_page *page, const ifl_cache_estimate *part, double whole)
{
    if (whole <= 0)
        return "-";
    double value = share(part->value, whole), low = share(part->low, whole),
           high = share(part->high, whole);
    low = low < 0 ? 0 : low;
    high = high > 100 ? 100 : high;
    return high - low < 1 ? ifl_arena_printf(&page->arena, "%.0f %%", value)
                          : ifl_arena_printf(&page->arena, "%.0f %% (%.0f–%.0f)", value, low, high);
}

/* "2.66 MB" beside "145.2 MB" is "2.66". */
static const char *without_unit(ifl_page *page, ifl_figure low, ifl_figure high)
{
    const char *unit = strchr(low.text, ' '), *other = strchr(high.text, ' ');
    const bool is_same = unit && other && strcmp(unit, other) == 0;
    const char *text = ifl_arena_text(&page->arena, low.text,
                                      is_same ? (size_t)(unit - low.text) : strlen(low.text));
    page->no_memory |= !text;
    return text ? text : "";
}

static const char *bytes_text(ifl_page *page, const ifl_cache_estimate *bytes)
{
    ifl_figure value = ifl_figure_bytes((uint64_t)bytes->value);
    ifl_figure low = ifl_figure_bytes((uint64_t)bytes->low);
    ifl_figure high = ifl_figure_bytes((uint64_t)bytes->high);
    if (bytes->high - bytes->low < bytes->value / 30 || bytes->high < 1)
        return ifl_arena_printf(&page->arena, "%s", value.text);
    return ifl_arena_printf(&page->arena, "%s (%s–%s)", value.text, without_unit(page, low, high),
                            high.text);
}

static void add_device(ifl_page *page, ifl_table *table, const ifl_cache_facts *f)
{
    const ifl_row row = {.cell = {ifl_clean_line(&page->arena, f->device),
                                  percent_text(page, &f->l1_load_hits, f->l1_load_sectors.value),
                                  percent_text(page, &f->l2_read_hits, f->l2_read_sectors.value),
                                  bytes_text(page, &f->dram_read_bytes),
                                  bytes_text(page, &f->dram_write_bytes)}};
    ifl_table_add(page, table, &row);
}

void ifl_cache_part_print(ifl_page *page, const ifl_profile *profile)
{
    ifl_table table = {
        .columns = columns, .column_count = sizeof columns / sizeof *columns, .indent = INDENT};
    if (!profile->caches.count)
        return;
    ifl_page_heading(
        page,
        "Predicted caches, empty at the start, with bounds in brackets (inflight help caches)");
    for (size_t i = 0; i < profile->caches.count; i++)
        add_device(page, &table, &profile->caches.at[i]);
    ifl_table_print(page, &table);
    for (size_t i = 0; i < profile->caches.count; i++) {
        ifl_page_paragraph(
            page, INDENT, 2 * INDENT, IFL_STYLE_DIM,
            ifl_arena_printf(
                &page->arena, "%s: left in the L2 %s; L1 of an SM %.0f KiB; simulated: %s",
                ifl_clean_line(&page->arena, profile->caches.at[i].device),
                bytes_text(page, &profile->caches.at[i].dirty_bytes),
                (double)profile->caches.at[i].l1_bytes / 1024, profile->caches.at[i].sample));
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *estimate_of(ifl_tree *tree, const ifl_cache_estimate *e)
{
    json_t *object = json_object();
    ifl_tree_put_real(tree, object, "value", e->value);
    ifl_tree_put_real(tree, object, "low", e->low);
    ifl_tree_put_real(tree, object, "high", e->high);
    return object;
}

static json_t *facts_of(ifl_tree *tree, const ifl_cache_facts *f)
{
    json_t *object = json_object();
    ifl_tree_put_count(tree, object, "l1_bytes", f->l1_bytes);
    ifl_tree_put_count(tree, object, "l2_bytes", f->l2_bytes);
    ifl_tree_put_text(tree, object, "sample", f->sample);
#define PUT(name, unit, doc) ifl_tree_put(tree, object, #name, estimate_of(tree, &f->name));
    IFL_CACHE_ESTIMATES(PUT)
#undef PUT
    return object;
}

void ifl_cache_part_put(ifl_tree *tree, json_t *model, const ifl_profile *profile,
                        const char *device)
{
    const ifl_cache_facts *facts = ifl_profile_caches(profile, device);
    if (facts)
        ifl_tree_put(tree, model, "caches", facts_of(tree, facts));
}
