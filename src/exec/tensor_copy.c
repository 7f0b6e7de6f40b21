/* SPDX-License-Identifier: Apache-2.0
 * Boxes of tensors between global and shared memory (PTX ISA 9.0, "Tensors"): tiles and im2col,
 * fill outside of the tensor, swizzle. Knows a box and a description; when it is copied is
 * bulk_copies.c's matter. */
#include "code/tensor_map.h"
#include "exec/bulk_copies.h"

#include <string.h>

enum { ALIGNMENT = 128, PIECE_BYTES = 16 };

/* ---- descriptions ---------------------------------------------------------------------------- */

/* A copy, as the kernel may change it while a box is on its way. */
static bool read_map(ifl_warp *warp, const ifl_code *code, uint32_t lane, uint64_t address,
                     ifl_tensor_map *map)
{
    const ifl_bulk_op *op = code->extra;
    const uint8_t *at = ifl_warp_reach(warp, code, lane, address, IFL_TENSOR_TOLD_BYTES, false);
    if (!at)
        return false;
    if (!ifl_tensor_map_read(at, map) || address % IFL_TENSOR_TOLD_BYTES) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "at 0x%llx is no description of a tensor (cuTensorMapEncode...), or one "
                        "that is not supported",
                        (unsigned long long)address);
        return false;
    }
    const char *what = map->rank != op->rank ? "has another number of dimensions"
                       : map->is_image != op->is_image || map->wide != op->wide
                           ? "is described for another mode (tiles, im2col, im2col::w)"
                       : op->are_lines && map->box[1] != 1
                           ? "has several rows, where four rows are named one by one"
                       : map->atom == IFL_TENSOR_ATOM_32_FLIPPED && !op->has_barrier
                           ? "exchanges the halves of 16 bytes, which loads alone do"
                           : NULL;
    if (what)
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane, "a box of a tensor that %s", what);
    return !what;
}

/* Elements of a box along a dimension: strided, only every so many is there. */
static uint32_t steps(const ifl_tensor_map *map, unsigned dimension)
{
    return (map->box[dimension] + map->element_stride[dimension] - 1) /
           map->element_stride[dimension];
}

/* Of packed elements sizes are counted in units from here on, and so are coordinates. */
static ifl_box count_units(ifl_tensor_map *map, const ifl_box *box)
{
    const ifl_tensor_unit unit = ifl_tensor_unit_of(map);
    ifl_box counted = *box;
    map->size[0] /= unit.elements;
    map->box[0] = (uint16_t)(map->box[0] / unit.elements);
    map->image.channels = (uint16_t)(map->image.channels / unit.elements);
    counted.coordinates[0] /= unit.elements;
    /* The box as it is walked: the innermost dimension has no stride but between slices, and a
     * box, or a pixel, has one slice of the channels (code/tensor_map.h). */
    if (!map->interleave)
        map->element_stride[0] = 1;
    else
        map->box[map->rank - 2] = map->image.channels = 1;
    return counted;
}

static unsigned shared_bytes(const ifl_tensor_map *map)
{
    return ifl_tensor_unit_of(map).shared_bytes;
}

/* Sums and extremes of these types are not in atomic.c. */
static bool is_reduction_known(const ifl_bulk_op *op, const ifl_tensor_map *map)
{
    enum { BYTE = 8, HALF = 16 };
    const bool is_float = ifl_type_class((ifl_type)map->type) == 'F',
               is_sum = op->operation == IFL_OPERATION_ADD;
    const unsigned bits = ifl_type_bits((ifl_type)map->type);
    return !op->operation || (bits > BYTE && !map->packing && map->type != IFL_TYPE_TF32 &&
                              (!is_float || is_sum || bits == HALF));
}

/* An H200 calls bits of signed words of 64 bits an illegal instruction, of unsigned ones not, and of words of 32 bits neither
 * (tests/gpu/h200/tensors_reductions.txt). */
static bool are_bits_taken(const ifl_bulk_op *op, const ifl_tensor_map *map)
{
    return map->type != IFL_TYPE_S64 ||
           (op->operation != IFL_OPERATION_AND && op->operation != IFL_OPERATION_OR &&
            op->operation != IFL_OPERATION_XOR);
}

/* ---- how much, and where in shared memory ---------------------------------------------------- */

/* Pixels are in groups that have a halo each (PTX ISA 9.0, "im2col::w and im2col::w::128 modes"). */
typedef struct pixel_groups {
    unsigned count, pixels, halo;
} pixel_groups;
enum { GROUPS = 4 };

static pixel_groups groups_of(const ifl_tensor_map *map, const ifl_box *box)
{
    enum { GROUP = 32 };
    return map->wide == IFL_TENSOR_WIDE_128
               ? (pixel_groups){GROUPS, GROUP, box->offsets[0]}
               : (pixel_groups){1, map->image.pixels, map->wide ? box->offsets[0] : 0};
}

static uint64_t box_bytes(const ifl_bulk_op *op, const ifl_tensor_map *map, const ifl_box *box)
{
    const pixel_groups groups = groups_of(map, box);
    uint64_t count = op->are_lines ? IFL_BULK_LINES : 1;
    if (map->is_image)
        count = (uint64_t)map->image.channels * groups.count * (groups.pixels + groups.halo);
    else
        for (unsigned i = 0; i < map->rank; i++)
            count *= steps(map, i);
    return count * map->element_bytes;
}

/* From a row's start in shared memory to the next one's: swizzled rows have at least the width of
 * the pattern. cuBLASLt's kernels for sm_90 with transposed results
 * (nvjet_sm90_hsh_32x64_64x16_4x2_h_bz_NTN, CUDA 13.0) write rows of 64 bytes 128 bytes apart and
 * have them copied with the pattern of 128. Slices follow each other: the rule that a row is no wider than
 * the pattern does not hold for them. */
static uint64_t row_pitch(const ifl_tensor_map *map)
{
    enum { NARROWEST = 16 };
    const uint64_t bytes = (uint64_t)(map->is_image ? map->image.channels : steps(map, 0)) *
                           shared_bytes(map),
                   width =
                       map->swizzle && !map->interleave ? (uint64_t)NARROWEST << map->swizzle : 0;
    return bytes > width ? bytes : width;
}

/* What a box reaches in shared memory: swizzled, it changes places within lines of 128 bytes. */
static uint64_t room_of(const ifl_bulk_op *op, const ifl_tensor_map *map, const ifl_box *box)
{
    const uint64_t row = (uint64_t)(map->is_image ? map->image.channels : steps(map, 0)) *
                         map->element_bytes,
                   bytes = box_bytes(op, map, box) / row * row_pitch(map);
    return map->swizzle ? (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT : bytes;
}

/* The first dimension along which pixels go; the slices have none of channels within. */
static unsigned first_of_image(const ifl_tensor_map *map)
{
    return map->interleave ? 0 : 1;
}

/* The next pixel of the bounding box, which goes from `lower` to the size plus `upper` of each
 * dimension but those of channels and the last; of wide ones of the second alone. */
static void next_pixel(const ifl_tensor_map *map, int64_t *at)
{
    const unsigned first = first_of_image(map), count = map->wide ? 1 : map->rank - 2u;
    for (unsigned i = 0; i < count; i++) {
        at[first + i] += map->element_stride[first + i];
        if (at[first + i] < (int64_t)map->size[first + i] + map->image.upper[i])
            return;
        at[first + i] = map->image.lower[i];
    }
    at[map->rank - 1] += map->element_stride[map->rank - 1]; /* an H200 */
}

/* What an H200 calls an illegal instruction. */
static bool are_taken(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box,
                      const ifl_tensor_map *map)
{
    const ifl_bulk_op *op = code->extra;
    const int64_t first = (int64_t)box->coordinates[0] * shared_bytes(map);
    bool is_below = false;
    for (unsigned i = 0; i < map->rank + (op->are_lines ? IFL_BULK_LINES - 1u : 0); i++)
        is_below |= box->coordinates[i] < 0;
    if (first % PIECE_BYTES)
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "a box whose innermost coordinate is %d, %lld bytes: it must be a multiple "
                        "of 16 bytes (an illegal instruction on an H200)",
                        box->coordinates[0], (long long)first);
    else if (is_below && !op->has_barrier)
        ifl_fault_raise(
            warp, code, IFL_FAULT_OTHER, lane,
            "a box that is stored at a coordinate below 0 (an illegal instruction on an H200)");
    else if (!are_bits_taken(op, map))
        ifl_fault_raise(
            warp, code, IFL_FAULT_OTHER, lane,
            "bits of signed words of 64 bits are combined (an illegal instruction on an H200)");
    return first % PIECE_BYTES == 0 && (!is_below || op->has_barrier) && are_bits_taken(op, map);
}

bool ifl_box_bytes(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box,
                   uint32_t *bytes)
{
    const ifl_bulk_op *op = code->extra;
    ifl_tensor_map map;
    if (!read_map(warp, code, lane, box->description, &map))
        return false;
    if (box->coordinates[0] % (int)ifl_tensor_unit_of(&map).elements) {
        ifl_fault_raise(
            warp, code, IFL_FAULT_OTHER, lane,
            "a box whose innermost coordinate is %d: elements of 4 or 6 bits are copied "
            "in whole units of %u",
            box->coordinates[0], ifl_tensor_unit_of(&map).elements);
        return false;
    }
    const ifl_box counted = count_units(&map, box);
    if (!is_reduction_known(op, &map)) {
        ifl_fault_raise(warp, code, IFL_FAULT_UNSUPPORTED, lane,
                        "this reduction is not supported for the tensor's type");
        return false;
    }
    if (box->shared % ALIGNMENT) {
        ifl_fault_raise(warp, code, IFL_FAULT_OTHER, lane,
                        "a box of a tensor that goes to or comes from shared memory that is not "
                        "aligned to 128 bytes");
        return false;
    }
    if (!are_taken(warp, code, lane, &counted, &map))
        return false;
    const bool is_written = op->has_barrier;
    *bytes = (uint32_t)box_bytes(op, &map, box);
    return box_bytes(op, &map, box) <= UINT32_MAX &&
           ifl_warp_has(warp, code, (ifl_space)box->space, lane, box->shared,
                        room_of(op, &map, box), is_written);
}

/* Bits 4 and up of an address are combined with those from 7 on: 1, 2 or 3 of them (PTX ISA 9.0,
 * "Swizzling modes"). Where pieces have 32 bytes, 2 of them from bit 5 on (CUTLASS 4, the layout
 * Layout_MN_SW128_32B_Atom, is Swizzle<2,5,2>); where they have 64, one from bit 6 on. */
static uint64_t swizzled(const ifl_tensor_map *map, uint64_t address)
{
    enum { HALF_AT = 3, CHUNK_AT, PAIR_AT, FOUR_AT, ROW_AT, PAIRS = 3, FOURS = 1 };
    const uint64_t row = address >> ROW_AT;
    switch (map->atom) {
    case IFL_TENSOR_ATOM_32:
        return address ^ (row & PAIRS) << PAIR_AT;
    case IFL_TENSOR_ATOM_32_FLIPPED:
        return address ^ (row & PAIRS) << PAIR_AT ^ (row & 1) << HALF_AT;
    case IFL_TENSOR_ATOM_64:
        return address ^ (row & FOURS) << FOUR_AT;
    default:
        return address ^ (row & ((UINT64_C(1) << map->swizzle) - 1)) << CHUNK_AT;
    }
}

/* What the swizzle moves as a whole, at most 16 bytes. */
static unsigned piece_bytes(const ifl_tensor_map *map)
{
    return map->atom == IFL_TENSOR_ATOM_32_FLIPPED ? PIECE_BYTES / 2 : PIECE_BYTES;
}

/* ---- rows, piece by piece ------------------------------------------------------------------------- */

typedef struct box_copy {
    ifl_warp *warp;
    const ifl_code *code;
    const ifl_tensor_map *map;
    const ifl_bulk_op *op;
    uint32_t lane;
    uint64_t shared; /* of the next element, before it is swizzled */
    uint64_t base;
    uint8_t *first; /* the box's in shared memory */
    uint64_t pitch; /* of rows in shared memory, bytes */
} box_copy;

/* Elements of a dimension. What is stored ends at a multiple of 16 bytes: the last piece is written
 * whole (an H200). */
static int64_t extent(const ifl_tensor_map *map, unsigned dimension, bool loads)
{
    const int64_t unit =
        loads || dimension || map->interleave ? 1 : PIECE_BYTES / map->element_bytes;
    return ((int64_t)map->size[dimension] + unit - 1) / unit * unit;
}

static bool is_inside(const ifl_tensor_map *map, const int64_t *at, bool loads)
{
    for (unsigned i = 0; i < map->rank; i++)
        if (at[i] < 0 || at[i] >= extent(map, i, loads))
            return false;
    return true;
}

static uint64_t global_address(const ifl_tensor_map *map, const int64_t *at)
{
    uint64_t address = map->address + (uint64_t)at[0] * map->element_bytes;
    for (unsigned i = 1; i < map->rank; i++)
        address += (uint64_t)at[i] * map->stride[i - 1];
    return address;
}

/* Of floats of any width with CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA each 16 bits (an
 * H200). */
static void fill(const ifl_tensor_map *map, uint8_t *to, unsigned bytes)
{
    static const uint8_t halves_of_nan[] = {0xf7, 0x7f};
    for (unsigned i = 0; i < bytes; i++)
        to[i] = map->fills_nan ? halves_of_nan[i % sizeof halves_of_nan] : 0;
}

/* TF32: rounded to the nearest, ties to even; any NaN becomes one (an H200). */
static void round_tf32(uint8_t *to)
{
    enum { CUT = 13 };
    const uint32_t infinity = 0x7f800000, nan = 0x7fffe000;
    uint32_t bits;
    memcpy(&bits, to, sizeof bits);
    if ((bits & INT32_MAX) > infinity)
        bits = nan;
    else if ((bits & INT32_MAX) < infinity)
        bits += (1u << (CUT - 1)) - 1 + (bits >> CUT & 1);
    bits &= ~((1u << CUT) - 1);
    memcpy(to, &bits, sizeof bits);
}

/* Neighbours within 16 bytes of shared memory, which the swizzle moves as a whole. */
static bool move_piece(box_copy *c, uint64_t address, unsigned bytes, bool loads)
{
    enum { WORD = 4 };
    const ifl_tensor_map *map = c->map;
    uint8_t *shared = c->first + (swizzled(map, c->shared) - c->base);
    uint8_t *global =
        ifl_warp_reach_in(c->warp, c->code, IFL_SPACE_GLOBAL, c->lane, address, bytes, !loads);
    if (!global)
        return false;
    if (c->op->operation)
        ifl_reduce_bytes(c->op->operation, map->type, map->flushes, global, shared, bytes);
    else
        memcpy(loads ? shared : global, loads ? global : shared, bytes);
    for (unsigned i = 0; i < bytes && loads && map->type == IFL_TYPE_TF32; i += WORD)
        round_tf32(shared + i);
    return true;
}

static void fill_piece(const box_copy *c, unsigned elements)
{
    uint8_t *shared = c->first + (swizzled(c->map, c->shared) - c->base);
    for (unsigned i = 0; i < elements; i++)
        fill(c->map, shared + (size_t)i * shared_bytes(c->map), c->map->element_bytes);
}

static int64_t less(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* A row that begins at `from`, piece by piece: each all inside of the tensor or all outside. */
static bool move_row(box_copy *c, int64_t *from, int64_t elements, bool loads)
{
    const int64_t each = shared_bytes(c->map), most = extent(c->map, 0, loads),
                  piece = piece_bytes(c->map);
    int64_t at[IFL_TENSOR_RANKS];
    memcpy(at, from, sizeof at);
    at[0] = 0;
    const bool has_inside = is_inside(c->map, at, loads);
    at[0] = from[0];
    for (int64_t left = elements, count; left; left -= count, at[0] += count) {
        const bool is_in = has_inside && at[0] >= 0 && at[0] < most;
        count = less(left, (piece - (int64_t)(c->shared % (uint64_t)piece)) / each);
        count = less(count, is_in ? most - at[0] : at[0] < 0 ? -at[0] : left);
        if (is_in && !move_piece(c, global_address(c->map, at),
                                 (unsigned)count * c->map->element_bytes, loads))
            return false;
        if (!is_in && loads)
            fill_piece(c, (unsigned)count);
        c->shared += (uint64_t)(count * each);
    }
    c->shared = c->base + (c->shared - c->base + c->pitch - 1) / c->pitch * c->pitch;
    return true;
}

/* Slices one by one, in pieces. */
static bool move_slices(box_copy *c, int64_t *at, int64_t count, bool loads)
{
    const ifl_tensor_map *map = c->map;
    const unsigned piece = piece_bytes(map);
    for (; count > 0; count--, at[0] += map->element_stride[0]) {
        const bool is_in = is_inside(map, at, loads);
        const uint64_t address = global_address(map, at);
        for (unsigned i = 0; i < map->element_bytes; i += piece, c->shared += piece) {
            if (is_in && !move_piece(c, address + i, piece, loads))
                return false;
            if (!is_in && loads)
                fill(map, c->first + (swizzled(map, c->shared) - c->base), piece);
        }
    }
    return true;
}

/* ---- the rows of tiles, of lines, of im2col --------------------------------------------------- */

/* What is done with each row of a box, which begins at `at`; false ends it. */
typedef struct row_work {
    bool (*row)(box_copy *c, int64_t *at, const struct row_work *work);
    int64_t elements;
    ifl_access_kind kind;
} row_work;

static bool each_of_tile(box_copy *c, const ifl_box *box, const row_work *work)
{
    const ifl_tensor_map *map = c->map;
    uint32_t step[IFL_TENSOR_RANKS] = {0};
    for (unsigned i = 0; i < map->rank;) {
        int64_t at[IFL_TENSOR_RANKS] = {box->coordinates[0]};
        for (i = 1; i < map->rank; i++)
            at[i] = (int64_t)box->coordinates[i] + (int64_t)step[i] * map->element_stride[i];
        if (!work->row(c, at, work))
            return false;
        for (i = 1; i < map->rank && ++step[i] == steps(map, i); i++)
            step[i] = 0;
    }
    return true;
}

/* A column and four rows (PTX ISA 9.0, "tile::gather4 and tile::scatter4 modes"). */
static bool each_of_lines(box_copy *c, const ifl_box *box, const row_work *work)
{
    bool is_right = true;
    for (unsigned i = 0; i < IFL_BULK_LINES && is_right; i++) {
        int64_t at[IFL_TENSOR_RANKS] = {box->coordinates[0], box->coordinates[1 + i]};
        is_right = work->row(c, at, work);
    }
    return is_right;
}

/* What the instruction adds to a pixel's coordinates. */
static bool do_pixel(box_copy *c, const ifl_box *box, const int64_t *pixel, const row_work *work)
{
    const ifl_tensor_map *map = c->map;
    int64_t at[IFL_TENSOR_RANKS];
    memcpy(at, pixel, sizeof at);
    if (map->wide)
        at[1] += box->offsets[1];
    for (unsigned i = 0; i + 2 < map->rank && !map->wide; i++)
        at[first_of_image(map) + i] += box->offsets[i];
    return work->row(c, at, work);
}

/* Behind all pixels the halos: of each the first pixel, then of each the second. A halo goes on as the
 * pixels do, at the end of a line with the next image's. That four pixels stand together in shared
 * memory, one of each 32, as tcgen05.cp.4x256b takes them to the lanes that a shift frees, and that
 * halos go on so, is a public emulator's rule (github.com/mlc-ai/TIRx-harness,
 * tools/tests/numsim, wide_im2col); the PTX ISA has figures of it. */
static bool each_of_image(box_copy *c, const ifl_box *box, const row_work *work)
{
    const pixel_groups groups = groups_of(c->map, box);
    int64_t pixel[IFL_TENSOR_RANKS] = {0}, halo[GROUPS][IFL_TENSOR_RANKS];
    bool is_right = true;
    for (unsigned i = 0; i < c->map->rank; i++)
        pixel[i] = box->coordinates[i];
    for (unsigned g = 0; g < groups.count; g++) {
        for (unsigned p = 0; p < groups.pixels && is_right; p++, next_pixel(c->map, pixel))
            is_right = do_pixel(c, box, pixel, work);
        memcpy(halo[g], pixel, sizeof pixel);
    }
    for (unsigned p = 0; p < groups.halo; p++)
        for (unsigned g = 0; g < groups.count && is_right; g++) {
            is_right = do_pixel(c, box, halo[g], work);
            next_pixel(c->map, halo[g]);
        }
    return is_right;
}

static bool do_rows(box_copy *c, const ifl_box *box, row_work work)
{
    const ifl_bulk_op *op = c->code->extra;
    if (c->map->is_image)
        work.elements = c->map->image.channels;
    return (op->are_lines      ? each_of_lines
            : c->map->is_image ? each_of_image
                               : each_of_tile)(c, box, &work);
}

static bool copy_row(box_copy *c, int64_t *at, const row_work *work)
{
    return (c->map->interleave ? move_slices : move_row)(c, at, work->elements,
                                                         work->kind == IFL_ACCESS_COPY_LOAD);
}

/* ---- what the L2 is asked for ---------------------------------------------------------------- */

/* Of what is stored only what lies inside of the tensor; what is loaded
 * is asked for whole, where a part of it lies inside (an H200). */
static void tell_span(box_copy *c, int64_t *at, int64_t elements, ifl_access_kind kind)
{
    const bool loads = kind == IFL_ACCESS_COPY_LOAD;
    const int64_t first = at[0], end = first + elements, most = extent(c->map, 0, loads),
                  last = end < most ? end : most;
    at[0] = first > 0 ? first : 0;
    if (at[0] >= last || !is_inside(c->map, at, loads))
        return;
    const uint64_t begins = global_address(c->map, at) -
                            (loads ? (uint64_t)(at[0] - first) * c->map->element_bytes : 0);
    ifl_bulk_tell(c->warp, c->code, kind, begins,
                  (uint64_t)(loads ? elements : last - at[0]) * c->map->element_bytes);
}

/* Slices that lie apart one by one. */
static bool tell_row(box_copy *c, int64_t *at, const row_work *work)
{
    const unsigned stride = c->map->element_stride[0];
    const int64_t first = at[0], each = stride > 1 ? 1 : work->elements;
    for (int64_t i = 0; i < work->elements; i += each) {
        at[0] = first + i * stride;
        tell_span(c, at, each, work->kind);
    }
    return true;
}

void ifl_box_tell(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box,
                  ifl_access_kind kind)
{
    ifl_tensor_map map;
    if (!read_map(warp, code, lane, box->description, &map))
        return;
    box_copy c = {.warp = warp, .code = code, .map = &map, .lane = lane};
    const ifl_box counted = count_units(&map, box);
    do_rows(&c, &counted, (row_work){tell_row, steps(&map, 0), kind});
}

bool ifl_box_copy(ifl_warp *warp, const ifl_code *code, uint32_t lane, const ifl_box *box)
{
    const ifl_bulk_op *op = code->extra;
    const bool loads = op->has_barrier;
    ifl_tensor_map map;
    if (!read_map(warp, code, lane, box->description, &map))
        return false;
    const ifl_box counted = count_units(&map, box);
    uint8_t *first = ifl_warp_reach_in(warp, code, (ifl_space)box->space, lane, box->shared,
                                       room_of(op, &map, box), loads);
    if (!first)
        return false;
    box_copy c = {warp, code, &map, op, lane, box->shared, box->shared, first, row_pitch(&map)};
    return do_rows(
        &c, &counted,
        (row_work){copy_row, steps(&map, 0), loads ? IFL_ACCESS_COPY_LOAD : IFL_ACCESS_COPY_STORE});
}
