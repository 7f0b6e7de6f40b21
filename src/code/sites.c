/* SPDX-License-Identifier: Apache-2.0
 * Questions that sites answer about themselves. */
#include "code/site.h"

#include <string.h>

static const char *start_of_line(const char *text, uint32_t line)
{
    while (text && --line) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    return text;
}

ifl_place ifl_site_place(const ifl_sites *sites, size_t site)
{
    ifl_place place = {.file = sites->file};
    if (site < sites->count) {
        place.line = (int)sites->at[site].line;
        place.column = (int)sites->at[site].column;
        if (place.line)
            place.line_text = start_of_line(sites->text, sites->at[site].line);
    }
    return place;
}

const ifl_source *ifl_site_source(const ifl_sites *sites, size_t site)
{
    const uint32_t place = site < sites->count ? sites->at[site].place : 0;
    return place && place < sites->place_count ? &sites->places[place] : NULL;
}
