/* SPDX-License-Identifier: Apache-2.0
 * Stall reasons by Nsight Compute's names: in words the largest and the instructions that have most
 * of them, in JSON all. */
#include "report/stalls_part.h"

#include "base/figure.h"

#include <string.h>

enum { INDENT = 4, MOST_REASONS = 4, MOST_SITES = 4 };

/* Warps that stand still, of all reasons. */
static double sum_of(const double *stalls)
{
    double sum = 0;
    for (int r = 0; r < IFL_STALLS; r++)
        sum += r == IFL_STALL_selected ? 0 : stalls[r];
    return sum;
}

/* The largest reason that is not told yet; IFL_STALLS: none that matters. */
static ifl_stall largest(const double *stalls, const bool *told)
{
    const double least = 0.05 * sum_of(stalls);
    int found = IFL_STALLS;
    for (int r = 0; r < IFL_STALLS; r++)
        if (r != IFL_STALL_selected && !told[r] && stalls[r] > least &&
            (found == IFL_STALLS || stalls[r] > stalls[found]))
            found = r;
    return (ifl_stall)found;
}

/* ---- text ------------------------------------------------------------------------------------ */

/* "48.1 cycles for data from global memory (long_scoreboard), 2.7 for ...". */
static const char *reasons_text(ifl_page *page, const double *stalls)
{
    const char *text = "";
    bool told[IFL_STALLS] = {false};
    for (int n = 0; n < MOST_REASONS && text; n++) {
        const ifl_stall reason = largest(stalls, told);
        if (reason == IFL_STALLS)
            break;
        told[reason] = true;
        text = ifl_arena_printf(&page->arena, "%s%s%.1f %s%s (%s)", text, n ? ", " : "",
                                stalls[reason], n ? "for " : "cycles for ", ifl_stall_text(reason),
                                ifl_stall_name(reason));
    }
    return text;
}

static const char *place_text(ifl_page *page, const ifl_stalled_site *site)
{
    const char *slash = site->file ? strrchr(site->file, '/') : NULL;
    if (!site->file)
        return ifl_arena_printf(&page->arena, "%s at 0x%x", site->op, site->address);
    return ifl_arena_printf(&page->arena, "%s at %s:%u (0x%x)", site->op,
                            slash ? slash + 1 : site->file, site->line, site->address);
}

static const char *sites_text(ifl_page *page, const ifl_time_facts *f)
{
    const char *text = "";
    const bool none[IFL_STALLS] = {false};
    for (size_t i = 0; i < f->site_count && i < MOST_SITES && text; i++) {
        const ifl_stalled_site *site = &f->sites[i];
        const ifl_stall reason = largest(site->stalls, none);
        text = ifl_arena_printf(&page->arena, "%s%s%.0f %% before %s (%s)", text, i ? ", " : "",
                                100 * site->share, place_text(page, site),
                                reason == IFL_STALLS ? "-" : ifl_stall_name(reason));
    }
    return text;
}

const char *ifl_stalls_part_longest(const ifl_profile *profile, const char *device)
{
    const bool none[IFL_STALLS] = {false};
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    const ifl_stall reason = f ? largest(f->stalls, none) : IFL_STALLS;
    return reason == IFL_STALLS ? NULL : ifl_stall_text(reason);
}

void ifl_stalls_part_print(ifl_page *page, const ifl_profile *profile, const char *device)
{
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    if (!f)
        return;
    ifl_page_paragraph(
        page, INDENT, INDENT, IFL_STYLE_PLAIN,
        ifl_arena_printf(&page->arena,
                         "A scheduler issues in %.0f %% of its cycles. Per instruction, a "
                         "warp stalls on average %s.",
                         100 * f->issue_active, reasons_text(page, f->stalls)));
    if (f->site_count)
        ifl_page_paragraph(
            page, INDENT, INDENT, IFL_STYLE_PLAIN,
            ifl_arena_printf(&page->arena, "Where warps stall: %s.", sites_text(page, f)));
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static json_t *stalls_json(ifl_tree *tree, const double *stalls, bool with_none)
{
    json_t *object = json_object();
    for (int r = 0; r < IFL_STALLS; r++)
        if (with_none || stalls[r] > 0)
            ifl_tree_put_real(tree, object, ifl_stall_name((ifl_stall)r), stalls[r]);
    return object;
}

static json_t *site_json(ifl_tree *tree, const ifl_stalled_site *site)
{
    json_t *object = json_object();
    ifl_tree_put_text(tree, object, "op", site->op);
    ifl_tree_put_text(tree, object, "function", site->function);
    ifl_tree_put_count(tree, object, "address", site->address);
    ifl_tree_put_text(tree, object, "file", site->file);
    if (site->line)
        ifl_tree_put_count(tree, object, "line", site->line);
    ifl_tree_put_count(tree, object, "issued", site->issued);
    ifl_tree_put_real(tree, object, "share", site->share);
    ifl_tree_put(tree, object, "stalls", stalls_json(tree, site->stalls, false));
    return object;
}

void ifl_stalls_part_put(ifl_tree *tree, json_t *object, const ifl_profile *profile,
                         const char *device)
{
    const ifl_time_facts *f = ifl_profile_sm_time(profile, device);
    if (!f)
        return;
    json_t *sites = json_array();
    for (size_t i = 0; i < f->site_count; i++)
        ifl_tree_append(tree, sites, site_json(tree, &f->sites[i]));
    ifl_tree_put_count(tree, object, "followed_blocks", f->blocks);
    ifl_tree_put_real(tree, object, "followed_share", f->followed);
    ifl_tree_put(tree, object, "stalls", stalls_json(tree, f->stalls, true));
    ifl_tree_put(tree, object, "stall_sites", sites);
}
