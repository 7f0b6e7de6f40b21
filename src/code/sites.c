/* SPDX-License-Identifier: Apache-2.0
 * Questions that sites answer about themselves. */
#include "code/site.h"

#include <stdio.h>
#include <string.h>

const char *ifl_sites_line(const ifl_sites *sites, uint32_t line, ifl_line_start *near)
{
    if (!near->text || near->line > line)
        *near = (ifl_line_start){sites->text, 1};
    for (; near->text && near->line < line; near->line++) {
        near->text = strchr(near->text, '\n');
        near->text = near->text ? near->text + 1 : NULL;
    }
    return near->text;
}

ifl_place ifl_site_place(const ifl_sites *sites, size_t site)
{
    ifl_place place = {.file = sites->file};
    if (site < sites->count) {
        place.line = (int)sites->at[site].line;
        place.column = (int)sites->at[site].column;
        if (place.line)
            place.line_text =
                ifl_sites_line(sites, sites->at[site].line, &(ifl_line_start){NULL, 0});
    }
    return place;
}

const ifl_source *ifl_site_source(const ifl_sites *sites, size_t site)
{
    const uint32_t place = site < sites->count ? sites->at[site].place : 0;
    return place && place < sites->place_count ? &sites->places[place] : NULL;
}

void ifl_site_where(const ifl_sites *sites, size_t site, char *to, size_t size)
{
    const ifl_source *source = ifl_site_source(sites, site);
    const ifl_site *at = &sites->at[site];
    const bool is_kernel = at->function && strcmp(at->function, sites->at[0].function) == 0;
    if (source)
        snprintf(to, size, "%s:%u", sites->files[source->file], source->line);
    else if (at->function && !at->line)
        snprintf(to, size, "%s +0x%x", is_kernel ? "machine code" : at->function, at->address);
    else
        snprintf(to, size, "%s:%u", sites->file, at->line);
}
