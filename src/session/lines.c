/* SPDX-License-Identifier: Apache-2.0
 * Describing memory instructions for people: where they are in the source, what they are, what
 * they were inlined from. It knows sites and profiles, not the engine. */
#include "session/lines.h"

#include "base/file.h"
#include "base/utf8.h"
#include "profile/traffic.h"
#include "session/kernel_name.h"
#include "session/source_text.h"

#include <string.h>

enum { MAX_INLINING = 16, MAX_NAME = 96, MAX_CHAIN = 600 };

typedef struct builder {
    const ifl_sites *sites;
    ifl_profile *profile;
    ifl_arena *arena; /* the profile's */
    ifl_source_texts sources;
    ifl_error *error;
    ifl_line_start last; /* of the text that was read */
} builder;

/* ---- where they are -------------------------------------------------------------------------- */

static const char *file_of(const ifl_sites *sites, const ifl_source *place)
{
    return place->file < sites->file_count ? sites->files[place->file] : "";
}

/* "helper() at util.cuh:12": the function that was inlined, and where it was called. False
 * without memory. */
static bool append_call(builder *b, char chain[MAX_CHAIN], const ifl_source *inlined,
                        const ifl_source *call)
{
    ifl_arena scratch = {0};
    const char *mangled = inlined->function ? inlined->function : "a function";
    const char *name = ifl_demangle(&scratch, mangled);
    const size_t used = strlen(chain);
    if (name)
        snprintf(chain + used, MAX_CHAIN - used, "%s%.*s%s at %s:%u", used ? " in " : "",
                 (int)(ifl_name_length(name) < MAX_NAME ? ifl_name_length(name) : MAX_NAME), name,
                 inlined->function ? "()" : "", ifl_file_last_name(file_of(b->sites, call)),
                 call->line);
    ifl_arena_free(&scratch);
    return name != NULL;
}

static const char *inlined_from(builder *b, const ifl_source *place)
{
    char chain[MAX_CHAIN] = "";
    for (int depth = 0; place->inlined_at && place->inlined_at < b->sites->place_count; depth++) {
        const ifl_source *call = &b->sites->places[place->inlined_at];
        if (depth == MAX_INLINING || strlen(chain) + 1 >= MAX_CHAIN)
            break;
        if (!append_call(b, chain, place, call))
            return NULL;
        place = call;
    }
    return ifl_text_line(b->arena, chain, strlen(chain));
}

static const char *copy_text(builder *b, const char *text)
{
    char *copy = ifl_arena_text(b->arena, text, strlen(text));
    if (copy)
        ifl_utf8_clean(copy);
    return copy;
}

/* Without line information the text that was read is the source. */
static void place_in_text(builder *b, size_t site, ifl_profile_line *line)
{
    const uint32_t number = b->sites->at[site].line;
    const char *text = number ? ifl_sites_line(b->sites, number, &b->last) : NULL;
    line->file = copy_text(b, b->sites->file);
    line->line = number;
    line->column = b->sites->at[site].column;
    line->inlined_from = "";
    line->text = text ? ifl_text_line(b->arena, text, strcspn(text, "\r\n")) : "";
}

static void place_in_source(builder *b, const ifl_source *place, ifl_profile_line *line)
{
    const char *file = file_of(b->sites, place);
    line->file = copy_text(b, file);
    line->line = place->line;
    line->column = place->column;
    line->inlined_from = inlined_from(b, place);
    line->text = ifl_source_line(&b->sources, b->arena, file, place->line);
}

static ifl_status add_line(builder *b, size_t index)
{
    const ifl_site *site = &b->sites->at[index];
    const ifl_source *place = ifl_site_source(b->sites, index);
    ifl_profile_line line = {.space = (ifl_space)site->access.space,
                             .kind = (ifl_access_kind)site->access.kind,
                             .ptx_line = site->line,
                             .site = (uint32_t)index,
                             .traits = site->traits,
                             .base = site->access.base,
                             .offset = site->access.offset,
                             .access_bytes = site->access.bytes};
    if (place && place->line)
        place_in_source(b, ifl_site_own_source(b->sites, place), &line);
    else
        place_in_text(b, index, &line);
    line.op = copy_text(b, site->name);
    const bool whole = line.file && line.text && line.inlined_from && line.op;
    if (!whole || !ifl_vec_push(&b->profile->lines, line))
        return ifl_fail_memory(b->error, sizeof line);
    return IFL_OK;
}

static ifl_status add_routine(builder *b, const ifl_routine *routine, int32_t *line_of)
{
    ifl_status status = IFL_OK;
    for (size_t i = routine->first_site;
         i < routine->first_site + routine->site_count && status == IFL_OK; i++) {
        if (!ifl_access_is_counted((ifl_access_kind)b->sites->at[i].access.kind))
            continue;
        line_of[i] = (int32_t)b->profile->lines.count;
        status = add_line(b, i);
    }
    return status;
}

ifl_status ifl_lines_build(const ifl_image *image, const char *module_path, int32_t *line_of,
                           ifl_profile *profile, ifl_error *error)
{
    builder b = {&image->sites, profile,  &profile->arena, {.module_path = module_path},
                 error,         {NULL, 0}};
    ifl_status status = IFL_OK;
    for (size_t i = 0; i < image->sites.count; i++)
        line_of[i] = -1;
    if (!image->function_count) /* machine code: one routine */
        status = add_routine(&b, image->routines, line_of);
    for (size_t f = 0; f < image->function_count && status == IFL_OK; f++)
        if (image->routine_of[f] >= 0)
            status = add_routine(&b, &image->routines[image->routine_of[f]], line_of);
    ifl_source_texts_free(&b.sources);
    return status;
}

/* ---- generic accesses ------------------------------------------------------------------------ */

static bool has_requests(const ifl_counters *counters, ifl_space space)
{
    for (ifl_traffic_kind kind = 0; kind < IFL_TRAFFIC_COUNT; kind++)
        if (ifl_traffic_info_get(kind)->space == space && ifl_traffic_get(counters, kind).requests)
            return true;
    return false;
}

static ifl_space space_seen(const ifl_counters *counters)
{
    static const ifl_space spaces[] = {IFL_SPACE_GLOBAL, IFL_SPACE_SHARED, IFL_SPACE_LOCAL};
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (has_requests(counters, spaces[i]))
            return spaces[i];
    return IFL_SPACE_GENERIC;
}

void ifl_lines_settle(ifl_profile *profile)
{
    for (size_t i = 0; i < profile->lines.count; i++) {
        ifl_profile_line *line = &profile->lines.at[i];
        if (line->space == IFL_SPACE_GENERIC)
            line->space = space_seen(&line->counters);
    }
}

static bool tell(ifl_source_texts *sources, ifl_arena *arena, const char *file, uint32_t line,
                 const char **text)
{
    *text = file && line ? ifl_source_line(sources, arena, file, line) : "";
    return *text != NULL;
}

ifl_status ifl_lines_tell(const char *module_path, ifl_profile *profile, ifl_error *error)
{
    ifl_source_texts sources = {.module_path = module_path};
    ifl_arena *arena = &profile->arena;
    bool whole = true;
    for (size_t d = 0; d < profile->sm_times.count; d++)
        for (size_t i = 0; i < profile->sm_times.at[d].line_count && whole; i++) {
            ifl_stalled_site *at = &profile->sm_times.at[d].lines[i];
            whole = tell(&sources, arena, at->file, at->line, &at->text);
        }
    for (size_t i = 0; i < profile->machine.listing.count && whole; i++) {
        ifl_listed_instruction *at = &profile->machine.listing.at[i];
        whole = tell(&sources, arena, at->file, at->line, &at->source);
    }
    ifl_source_texts_free(&sources);
    return whole ? IFL_OK : ifl_fail_memory(error, sizeof(ifl_stalled_site));
}
