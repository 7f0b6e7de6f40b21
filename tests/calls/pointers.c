/* SPDX-License-Identifier: Apache-2.0
 * See pointers.h: each structure as it should be, and with one thing wrong. */
#include "pointers.h"

#include <string.h>

enum {
    INVALID_VALUE = 1,
    INVALID_CHANNELS = 20,
    INVALID_DIRECTION = 21,
    INVALID_FUNCTION = 98,
    INVALID_PTX = 218,
    INVALID_HANDLE = 400,
    NOT_SUPPORTED = 801
};
enum { ARRAY_RESOURCE, MIPMAPS, LINEAR_RESOURCE, ROWS_RESOURCE };
enum { FLOAT_KIND = 2, FLOAT_FORMAT = 0x20, FOR_SURFACES = 2 };
enum { PITCH = 256, ROWS = 4, WIDTH = 64, HOST = 1, DEVICE = 2, DEFAULT = 4, MEMORY_TYPE = 2 };

word kernel_argument;
static word arguments[1];
static int called; /* by host functions */

static void host_call(void *user)
{
    (void)user;
    called++;
}

static void callback(void *stream, int code, void *user)
{
    (void)stream, (void)code, (void)user;
    called++;
}

/* ---- right ----------------------------------------------------------------------------------- */

static word right_arguments(void)
{
    kernel_argument = live_object(CLASS_DEVICE);
    arguments[0] = (word)&kernel_argument;
    return (word)arguments;
}

static box right_box(void)
{
    return (box){.from = {live_object(CLASS_PINNED), PITCH, PITCH, ROWS},
                 .to = {live_object(CLASS_DEVICE), PITCH, PITCH, ROWS},
                 .extent = {WIDTH, ROWS, 2},
                 .kind = DEFAULT};
}

static deep_box right_deep_box(void)
{
    return (deep_box){
        .from = {.type = HOST, .host = live_object(CLASS_PINNED), .pitch = PITCH, .height = ROWS},
        .to = {.type = DEVICE, .device = live_object(CLASS_DEVICE), .pitch = PITCH, .height = ROWS},
        .width = WIDTH,
        .height = ROWS,
        .depth = 2};
}

static box right_line_box(void)
{
    box line = right_box();
    line.extent = (triple){WIDTH, 1, 1};
    return line;
}

static deep_box right_deep_line_box(void)
{
    deep_box line = right_deep_box();
    line.height = line.depth = 1;
    return line;
}

static kernel_params right_kernel(void)
{
    return (kernel_params){.function = live_object(CLASS_FUNCTION),
                           .grid = {1, 1, 1},
                           .block = {1, 1, 1},
                           .arguments = right_arguments()};
}

static flat_box right_flat_box(void)
{
    return (flat_box){.from = {.type = HOST, .host = live_object(CLASS_PINNED), .pitch = PITCH},
                      .to = {.type = DEVICE, .device = live_object(CLASS_DEVICE), .pitch = PITCH},
                      .width = WIDTH,
                      .height = ROWS};
}

static bool fill_of_texture(word_kind kind, pointed *out)
{
    static const channels one_float = {.bits = {32}, .kind = FLOAT_KIND};
    switch (kind) {
    case WORD_CHANNELS:
        out->channels = one_float;
        return true;
    case WORD_RESOURCE:
        out->resource =
            (resource){.type = ROWS_RESOURCE,
                       .of.rows = {live_object(CLASS_DEVICE), one_float, WIDTH / 4, ROWS, PITCH}};
        return true;
    case WORD_SURFACE_RESOURCE:
        out->resource = (resource){.type = ARRAY_RESOURCE, .of.array = live_object(CLASS_ARRAY)};
        return true;
    case WORD_SAMPLER:
    case WORD_DRIVER_SAMPLER:
        return true;
    case WORD_DRIVER_RESOURCE:
        out->driver_resource = (driver_resource){.type = ROWS_RESOURCE,
                                                 .at = live_object(CLASS_DEVICE),
                                                 .format = FLOAT_FORMAT,
                                                 .channels = 1,
                                                 .width = WIDTH / 4,
                                                 .height = ROWS,
                                                 .pitch = PITCH};
        return true;
    case WORD_FLAT_ARRAY:
        out->flat_array = (flat_array){WIDTH, ROWS, FLOAT_FORMAT, 1};
        return true;
    case WORD_DEEP_ARRAY:
        out->deep_array = (deep_array){WIDTH, ROWS, 2, FLOAT_FORMAT, 1, FOR_SURFACES};
        return true;
    default:
        return false;
    }
}

static bool fill_of_node(word_kind kind, pointed *out)
{
    switch (kind) {
    case WORD_EDGE_FROM:
        out->nodes[0] = live_object(CLASS_KERNEL_NODE);
        return true;
    case WORD_EDGE_TO:
        out->nodes[0] = live_object(CLASS_COPY_NODE);
        return true;
    case WORD_LINE_BOX:
        out->box = right_line_box();
        return true;
    case WORD_DEEP_LINE_BOX:
        out->deep_box = right_deep_line_box();
        return true;
    case WORD_ANY_PARAMS:
        out->any_params = (any_params){.of.kernel = right_kernel()};
        return true;
    case WORD_INSTANTIATION:
        return true;
    default:
        return fill_of_texture(kind, out);
    }
}

bool fill_pointed(word_kind kind, pointed *out)
{
    memset(out, 0, sizeof *out);
    switch (kind) {
    case WORD_AFTER:
        out->nodes[0] = live_object(CLASS_NODE);
        return true;
    case WORD_LATER:
        out->nodes[0] = live_object(CLASS_KERNEL_NODE);
        return true;
    case WORD_BOX:
        out->box = right_box();
        return true;
    case WORD_DEEP_BOX:
        out->deep_box = right_deep_box();
        return true;
    case WORD_FLAT_BOX:
        out->flat_box = right_flat_box();
        return true;
    case WORD_KERNEL_PARAMS:
        out->kernel_params = right_kernel();
        return true;
    case WORD_SET_PARAMS:
        out->set_params = (set_params){live_object(CLASS_DEVICE), PITCH, 1, 4, WIDTH / 4, ROWS};
        return true;
    case WORD_HOST_PARAMS:
        out->host_params.call = (word)host_call;
        return true;
    case WORD_MEMORY_PARAMS:
        out->memory_params.bytes = WIDTH;
        return true;
    case WORD_POOL_PARAMS:
        out->pool_params = (pool_params){.allocation = 1, .location = 1};
        return true;
    case WORD_CONFIGURATION:
        out->configuration = (configuration){
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = live_object(CLASS_STREAM)};
        return true;
    case WORD_DRIVER_CONFIGURATION:
        out->driver_configuration = (driver_configuration){
            .grid = {1, 1, 1}, .block = {1, 1, 1}, .stream = live_object(CLASS_STREAM)};
        return true;
    case WORD_ARGUMENTS:
        right_arguments();
        out->arguments[0] = arguments[0];
        return true;
    case WORD_NUMBERS:
        out->numbers[0] = MEMORY_TYPE;
        return true;
    case WORD_PLACES:
        out->places[0] = (word)scratch;
        return true;
    case WORD_ROOMS:
        out->room = sizeof(int);
        return true;
    case WORD_MODE:
        out->mode = 0;
        return true;
    case WORD_ROOM_AT:
        out->room = sizeof scratch / sizeof *scratch;
        return true;
    default:
        return fill_of_node(kind, out);
    }
}

word right_pointer(word_kind kind)
{
    static pointed right[WORD_PAD + 1];
    if (fill_pointed(kind, &right[kind]))
        return (word)&right[kind];
    return kind == WORD_HOST_CALL || kind == WORD_DESTROY ? (word)host_call
           : kind == WORD_CALLBACK                        ? (word)callback
                                                          : (word)module_text;
}

/* ---- wrong ----------------------------------------------------------------------------------- */

typedef struct wrongs {
    wrong_word *list;
    size_t count;
    word_kind kind;
} wrongs;

/* Room for one more, filled as it should be. */
static pointed *next(wrongs *w, int code)
{
    static pointed wrong[MOST_WRONG];
    fill_pointed(w->kind, &wrong[w->count]);
    w->list[w->count] = (wrong_word){(word)&wrong[w->count], code};
    return &wrong[w->count++];
}

static void wrong_nodes(wrongs *w)
{
    next(w, INVALID_VALUE)->nodes[0] = 0;
    next(w, INVALID_VALUE)->nodes[0] = world[CLASS_NODE].gone[0];
    next(w, INVALID_VALUE)->nodes[0] = live_object(CLASS_EVENT);
    next(w, INVALID_VALUE)->nodes[0] = no_handles[0];
}

static void wrong_boxes(wrongs *w)
{
    next(w, INVALID_VALUE)->box.to.at = 0;
    next(w, INVALID_VALUE)->box.from.at = 0;
    next(w, INVALID_VALUE)->box.to.pitch = (word)-1;
    next(w, INVALID_VALUE)->box.to_position.z = (word)1 << 63;
    if (w->kind == WORD_BOX) /* a row may be longer than the pitch */
        next(w, INVALID_VALUE)->box.extent.x = (word)-1;
    next(w, INVALID_DIRECTION)->box.kind = 9;
}

static void wrong_deep_boxes(wrongs *w)
{
    next(w, INVALID_VALUE)->deep_box.to.type = 0;
    next(w, INVALID_VALUE)->deep_box.from.type = 9;
    next(w, INVALID_VALUE)->deep_box.to.pitch = (word)-1;
    next(w, INVALID_VALUE)->deep_box.to.z = (word)1 << 63;
    if (w->kind == WORD_DEEP_BOX)
        next(w, INVALID_VALUE)->deep_box.width = (word)-1;
}

static void wrong_flat_boxes(wrongs *w)
{
    next(w, INVALID_VALUE)->flat_box.to.device = 0;
    next(w, INVALID_VALUE)->flat_box.from.type = 9;
    next(w, INVALID_VALUE)->flat_box.to.device = world[CLASS_DEVICE].gone[0];
    next(w, INVALID_VALUE)->flat_box.from.pitch = (word)1 << 63;
    next(w, INVALID_VALUE)->flat_box.height = (word)-1;
}

static void wrong_kernels(wrongs *w)
{
    static word none[1];
    next(w, INVALID_FUNCTION)->kernel_params.function = no_handles[0];
    next(w, INVALID_FUNCTION)->kernel_params.function = world[CLASS_FUNCTION].gone[0];
    next(w, INVALID_FUNCTION)->kernel_params.function = live_object(CLASS_STREAM);
    next(w, INVALID_VALUE)->kernel_params.arguments = 0;
    next(w, INVALID_VALUE)->kernel_params.arguments = (word)none;
}

static void wrong_others(wrongs *w)
{
    switch (w->kind) {
    case WORD_SET_PARAMS:
        next(w, INVALID_VALUE)->set_params.element_bytes = 3;
        break;
    case WORD_HOST_PARAMS:
        next(w, INVALID_VALUE)->host_params.call = 0;
        break;
    case WORD_MEMORY_PARAMS:
        next(w, INVALID_VALUE)->memory_params.bytes = 0;
        break;
    case WORD_POOL_PARAMS:
        next(w, INVALID_VALUE)->pool_params.gpu = 1;
        break;
    case WORD_CONFIGURATION:
        next(w, INVALID_HANDLE)->configuration.stream = world[CLASS_STREAM].gone[0];
        next(w, INVALID_VALUE)->configuration.attribute_count = 1;
        break;
    case WORD_DRIVER_CONFIGURATION:
        next(w, INVALID_HANDLE)->driver_configuration.stream = world[CLASS_STREAM].gone[0];
        next(w, INVALID_VALUE)->driver_configuration.attribute_count = 1;
        break;
    case WORD_ARGUMENTS:
        next(w, INVALID_VALUE)->arguments[0] = 0;
        break;
    case WORD_PLACES:
        next(w, INVALID_VALUE)->places[0] = 0;
        break;
    case WORD_ROOMS:
        next(w, INVALID_VALUE)->room = 3;
        break;
    case WORD_MODE:
        next(w, INVALID_VALUE)->mode = 9;
        break;
    case WORD_ANY_PARAMS:
        next(w, INVALID_FUNCTION)->any_params.of.kernel.function = no_handles[0];
        next(w, INVALID_VALUE)->any_params.of.kernel.arguments = 0;
        next(w, NOT_SUPPORTED)->any_params.type = 99;
        break;
    case WORD_INSTANTIATION:
        next(w, INVALID_VALUE)->instantiation.flags = 1 << 20;
        break;
    case WORD_IMAGE:
        w->list[w->count++] = (wrong_word){(word) "nonsense", INVALID_PTX};
        break;
    default:
        break;
    }
}

static void wrong_resources(wrongs *w)
{
    next(w, INVALID_VALUE)->resource.of.rows.at = 0;
    next(w, INVALID_VALUE)->resource.of.rows.at = world[CLASS_DEVICE].gone[0];
    next(w, INVALID_VALUE)->resource.of.rows.pitch = (word)1 << 63;
    next(w, INVALID_VALUE)->resource.of.rows.height = (word)-1;
    next(w, INVALID_VALUE)->resource.type = 9;
    next(w, INVALID_CHANNELS)->resource.of.rows.channels.bits[0] = 7;
}

static void wrong_surface_resources(wrongs *w)
{
    next(w, INVALID_HANDLE)->resource.of.array = 0;
    next(w, INVALID_HANDLE)->resource.of.array = world[CLASS_ARRAY].gone[0];
    next(w, INVALID_HANDLE)->resource.of.array = live_object(CLASS_STREAM);
    next(w, INVALID_HANDLE)->resource.of.array = no_handles[0];
    next(w, INVALID_VALUE)->resource.type = MIPMAPS;
}

static void wrong_of_texture(wrongs *w)
{
    switch (w->kind) {
    case WORD_CHANNELS:
        next(w, INVALID_CHANNELS)->channels.bits[0] = 7;
        next(w, INVALID_CHANNELS)->channels.kind = 9;
        break;
    case WORD_RESOURCE:
        wrong_resources(w);
        break;
    case WORD_SURFACE_RESOURCE:
        wrong_surface_resources(w);
        break;
    case WORD_DRIVER_RESOURCE:
        next(w, INVALID_VALUE)->driver_resource.at = 0;
        next(w, INVALID_VALUE)->driver_resource.at = world[CLASS_DEVICE].gone[0];
        next(w, INVALID_VALUE)->driver_resource.pitch = (word)1 << 63;
        next(w, INVALID_VALUE)->driver_resource.type = 9;
        next(w, INVALID_VALUE)->driver_resource.format = 9999;
        break;
    case WORD_DRIVER_SAMPLER:
        next(w, INVALID_VALUE)->driver_sampler.modes[1] = 9;
        next(w, INVALID_VALUE)->driver_sampler.filter = -1;
        break;
    case WORD_SAMPLER:
        next(w, INVALID_VALUE)->sampler.modes[1] = 9;
        next(w, INVALID_VALUE)->sampler.filter = -1;
        break;
    case WORD_FLAT_ARRAY:
        next(w, INVALID_VALUE)->flat_array.width = (word)-1;
        next(w, INVALID_VALUE)->flat_array.format = 9999;
        break;
    case WORD_DEEP_ARRAY:
        next(w, INVALID_VALUE)->deep_array.depth = (word)1 << 63;
        next(w, INVALID_VALUE)->deep_array.channels = 3;
        next(w, INVALID_VALUE)->deep_array.flags = 1u << 31;
        break;
    default:
        break;
    }
}

size_t wrong_pointers(word_kind kind, wrong_word out[MOST_WRONG])
{
    wrongs w = {out, 0, kind};
    switch (kind) {
    case WORD_AFTER:
    case WORD_LATER:
    case WORD_EDGE_FROM:
    case WORD_EDGE_TO:
        wrong_nodes(&w);
        break;
    case WORD_BOX:
    case WORD_LINE_BOX:
        wrong_boxes(&w);
        break;
    case WORD_DEEP_BOX:
    case WORD_DEEP_LINE_BOX:
        wrong_deep_boxes(&w);
        break;
    case WORD_FLAT_BOX:
        wrong_flat_boxes(&w);
        break;
    case WORD_KERNEL_PARAMS:
        wrong_kernels(&w);
        break;
    default:
        wrong_others(&w);
        wrong_of_texture(&w);
    }
    out[w.count] = (wrong_word){0, INVALID_VALUE};
    return w.count + 1;
}
