/* SPDX-License-Identifier: Apache-2.0
 * What is told of each instruction of machine code: its name and place, what it asks of memory,
 * what it leaves open between two machines. Everything that watches a kernel knows only this. */
#include "sass/sass_flow.h"
#include "sass/sass_lowerer.h"
#include "sass/sass_sums.h"
#include "sass/sass_traits.h"

#include <stdlib.h>
#include <string.h>

/* ---- what it asks of memory ------------------------------------------------------------------ */

typedef struct access_class {
    uint8_t kind, space;
} access_class;

/* What the TMA copies from or to global memory: IFL_ACCESS_COPY_*; IFL_ACCESS_KINDS: it is no such
 * copy. */
static uint8_t copy_of(const ifl_sass_instruction *instruction)
{
    static const struct {
        uint16_t op;
        uint8_t kind;
    } rows[] = {{IFL_SASS_OP_UTMALDG, IFL_ACCESS_COPY_LOAD},
                {IFL_SASS_OP_UTMASTG, IFL_ACCESS_COPY_STORE},
                {IFL_SASS_OP_UTMAREDG, IFL_ACCESS_COPY_REDUCTION},
                {IFL_SASS_OP_UBLKCP, IFL_ACCESS_COPY_LOAD},
                {IFL_SASS_OP_UBLKRED, IFL_ACCESS_COPY_REDUCTION}};
    size_t row = 0;
    while (row < sizeof rows / sizeof *rows && rows[row].op != instruction->op)
        row++;
    if (row == sizeof rows / sizeof *rows)
        return IFL_ACCESS_KINDS;
    const bool from_shared = ifl_sass_value(instruction, IFL_SASS_VALUE_SPACE2) == IFL_SASS_WORD_S,
               to_shared = ifl_sass_value(instruction, IFL_SASS_VALUE_SPACE) == IFL_SASS_WORD_S;
    if (from_shared && to_shared)
        return IFL_ACCESS_KINDS;
    return instruction->op == IFL_SASS_OP_UBLKCP && from_shared ? IFL_ACCESS_COPY_STORE
                                                                : rows[row].kind;
}

/* Likewise of textures and surfaces. */
static uint8_t sampled_of(const ifl_sass_instruction *instruction)
{
    switch (instruction->op) {
    case IFL_SASS_OP_TEX:
    case IFL_SASS_OP_TLD:
    case IFL_SASS_OP_TLD4:
    case IFL_SASS_OP_TXD:
        return IFL_ACCESS_TEXTURE_LOAD;
    case IFL_SASS_OP_SULD:
        return IFL_ACCESS_SURFACE_LOAD;
    case IFL_SASS_OP_SUST:
        return IFL_ACCESS_SURFACE_STORE;
    case IFL_SASS_OP_SURED:
        return IFL_ACCESS_SURFACE_REDUCTION;
    default:
        return IFL_ACCESS_KINDS;
    }
}

bool ifl_sass_is_prefetch(const ifl_sass_instruction *instruction)
{
    if (instruction->op != IFL_SASS_OP_CCTL)
        return false;
    const ifl_sass_word operation = ifl_sass_value(instruction, IFL_SASS_VALUE_OPERATION);
    return ifl_sass_value(instruction, IFL_SASS_VALUE_CACHE) == IFL_SASS_WORD_D &&
           (operation == IFL_SASS_WORD_PF1 || operation == IFL_SASS_WORD_PF2);
}

/* What follows an acquire, and a fence for the GPU. */
bool ifl_sass_is_forgetting(const ifl_sass_instruction *instruction)
{
    return instruction->op == IFL_SASS_OP_CCTL &&
           ifl_sass_value(instruction, IFL_SASS_VALUE_OPERATION) == IFL_SASS_WORD_IVALL;
}

static access_class class_of(const ifl_sass_instruction *instruction)
{
    static const struct {
        bool accesses;
        access_class as;
    } classes[IFL_SASS_CLASSES] = {
        [IFL_SASS_LOAD_GLOBAL] = {true, {IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL}},
        [IFL_SASS_STORE_GLOBAL] = {true, {IFL_ACCESS_STORE, IFL_SPACE_GLOBAL}},
        [IFL_SASS_ATOMIC_GLOBAL] = {true, {IFL_ACCESS_ATOMIC, IFL_SPACE_GLOBAL}},
        [IFL_SASS_LOAD_SHARED] = {true, {IFL_ACCESS_LOAD, IFL_SPACE_SHARED}},
        [IFL_SASS_STORE_SHARED] = {true, {IFL_ACCESS_STORE, IFL_SPACE_SHARED}},
        [IFL_SASS_ATOMIC_SHARED] = {true, {IFL_ACCESS_ATOMIC, IFL_SPACE_SHARED}},
        [IFL_SASS_LOAD_LOCAL] = {true, {IFL_ACCESS_LOAD, IFL_SPACE_LOCAL}},
        [IFL_SASS_STORE_LOCAL] = {true, {IFL_ACCESS_STORE, IFL_SPACE_LOCAL}},
        [IFL_SASS_LOAD_GENERIC] = {true, {IFL_ACCESS_LOAD, IFL_SPACE_GENERIC}},
        [IFL_SASS_STORE_GENERIC] = {true, {IFL_ACCESS_STORE, IFL_SPACE_GENERIC}},
        [IFL_SASS_COPY_ASYNC] = {true, {IFL_ACCESS_LOAD, IFL_SPACE_GLOBAL}},
    };
    const uint8_t copy = copy_of(instruction);
    if (copy != IFL_ACCESS_KINDS)
        return (access_class){copy, IFL_SPACE_GLOBAL};
    if (ifl_sass_is_prefetch(instruction))
        return (access_class){IFL_ACCESS_PREFETCH, IFL_SPACE_GENERIC};
    if (sampled_of(instruction) != IFL_ACCESS_KINDS)
        return (access_class){sampled_of(instruction), IFL_SPACE_GLOBAL};
    static const access_class generic_atomic = {IFL_ACCESS_ATOMIC, IFL_SPACE_GENERIC},
                              none = {IFL_ACCESS_KINDS, 0};
    if (!instruction->memory_bytes)
        return none;
    if (instruction->op == IFL_SASS_OP_ATOM)
        return generic_atomic;
    return classes[instruction->sass_class].accesses ? classes[instruction->sass_class].as : none;
}

static bool is_strong(const ifl_sass_instruction *instruction)
{
    const ifl_sass_word order = ifl_sass_value(instruction, IFL_SASS_VALUE_ORDER);
    return order == IFL_SASS_WORD_STRONG || order == IFL_SASS_WORD_MMIO ||
           order == IFL_SASS_WORD_SC;
}

/* A strong load of GPU scope is what both ld.cg and ld.relaxed.gpu become. */
static uint8_t path_of(const ifl_sass_instruction *instruction, ifl_access_kind kind)
{
    const ifl_sass_word scope = ifl_sass_value(instruction, IFL_SASS_VALUE_SCOPE),
                        eviction = ifl_sass_value(instruction, IFL_SASS_VALUE_EVICTION),
                        bypass = ifl_sass_value(instruction, IFL_SASS_VALUE_BYPASS);
    if (is_strong(instruction) && scope != IFL_SASS_WORD_CTA && scope != IFL_SASS_WORD_SM)
        return kind == IFL_ACCESS_LOAD && scope == IFL_SASS_WORD_GPU ? IFL_PATH_PAST
                                                                     : IFL_PATH_BYPASS;
    if (bypass == IFL_SASS_WORD_BYPASS)
        return IFL_PATH_PAST;
    if (eviction == IFL_SASS_WORD_NA)
        return IFL_PATH_NO_ALLOCATE;
    if (ifl_sass_value(instruction, IFL_SASS_VALUE_ORDER) == IFL_SASS_WORD_CONSTANT)
        return IFL_PATH_READ_ONLY;
    return IFL_PATH_PLAIN;
}

static bool is_float_type(const ifl_sass_instruction *instruction)
{
    switch (ifl_sass_value(instruction, IFL_SASS_VALUE_TYPE)) {
    case IFL_SASS_WORD_F32:
    case IFL_SASS_WORD_F64:
    case IFL_SASS_WORD_F16x2:
    case IFL_SASS_WORD_F16x4:
    case IFL_SASS_WORD_F16x8:
    case IFL_SASS_WORD_BF16x2:
    case IFL_SASS_WORD_BF16x4:
    case IFL_SASS_WORD_BF16x8:
    case IFL_SASS_WORD_F32x2:
    case IFL_SASS_WORD_F32x4:
        return true;
    default:
        return false;
    }
}

/* Of a matrix a lane gives the address of a row; copies have pieces of so many bytes. */
static uint8_t bytes_of(const ifl_sass_instruction *instruction)
{
    enum { ROW_BYTES = 16 };
    const bool is_matrix =
        instruction->op == IFL_SASS_OP_LDSM || instruction->op == IFL_SASS_OP_STSM;
    if (ifl_sass_is_prefetch(instruction))
        return 4; /* a sector is what comes */
    return is_matrix || copy_of(instruction) != IFL_ACCESS_KINDS ? ROW_BYTES
                                                                 : instruction->memory_bytes;
}

static bool is_fetched(const ifl_sass_instruction *instruction, ifl_access_kind kind)
{
    const ifl_sass_operand *d = ifl_sass_operand_of(instruction, IFL_SASS_ROLE_DESTINATION);
    return kind == IFL_ACCESS_ATOMIC && d && d->index != IFL_SASS_NO_REGISTER;
}

static ifl_site_access access_of(const ifl_sass_instruction *instruction)
{
    const access_class found = class_of(instruction);
    if (found.kind == IFL_ACCESS_KINDS)
        return (ifl_site_access){.kind = found.kind};
    const ifl_sass_word operation = ifl_sass_value(instruction, IFL_SASS_VALUE_OPERATION),
                        prefetch = ifl_sass_value(instruction, IFL_SASS_VALUE_PREFETCH);
    return (ifl_site_access){
        .kind = found.kind,
        .space = found.space,
        .path = found.space == IFL_SPACE_LOCAL   ? IFL_PATH_LOCAL
                : ifl_access_is_copy(found.kind) ? IFL_PATH_BYPASS
                                                 : path_of(instruction, found.kind),
        .is_float = is_float_type(instruction),
        .is_fetched = is_fetched(instruction, found.kind),
        .is_copied = instruction->sass_class == IFL_SASS_COPY_ASYNC,
        .passes_merge = operation == IFL_SASS_WORD_POPC_INC || operation == IFL_SASS_WORD_CAST,
        .passes_twice = operation == IFL_SASS_WORD_CAS || operation == IFL_SASS_WORD_CAST,
        .brings_line = prefetch == IFL_SASS_WORD_LTC128B || prefetch == IFL_SASS_WORD_LTC256B,
        .bytes = bytes_of(instruction)};
}

/* ---- what it leaves open --------------------------------------------------------------------- */

static uint8_t open_of(const ifl_sass_instruction *instruction)
{
    const ifl_sass_operand *from = ifl_sass_operand_of(instruction, IFL_SASS_ROLE_A);
    const ifl_access_kind kind = class_of(instruction).kind;
    const bool is_atomic = kind == IFL_ACCESS_ATOMIC;
    uint8_t open = !is_atomic && is_strong(instruction) ? IFL_OPEN_WAITS : 0;
    if (is_atomic && is_float_type(instruction))
        open |= IFL_OPEN_FLOAT_ATOMIC;
    if (is_fetched(instruction, kind))
        open |= IFL_OPEN_FETCHED;
    enum { FIRST_CLOCK = 80, LAST_CLOCK = 83, SMID = 67 };
    const bool is_special =
        from && from->kind == IFL_SASS_SPECIAL &&
        (instruction->op == IFL_SASS_OP_S2R || instruction->op == IFL_SASS_OP_CS2R ||
         instruction->op == IFL_SASS_OP_S2UR || instruction->op == IFL_SASS_OP_CS2UR);
    if (is_special &&
        ((from->value >= FIRST_CLOCK && from->value <= LAST_CLOCK) || from->value == SMID))
        open |= IFL_OPEN_TIMED;
    return open;
}

/* ---- waits ----------------------------------------------------------------------------------- */

enum { BOARDS = 6 };

/* Of one block: which scoreboards loads have set, and how often they were waited for. */
typedef struct waiting {
    uint32_t block;
    uint8_t loading; /* bit: the scoreboard was set by a load that nobody has waited for */
    uint32_t turn;
} waiting;

static uint32_t next_turn(const ifl_sass_lowerer *l, uint32_t index, waiting *w)
{
    const ifl_sass_instruction *instruction = &l->instructions[index];
    if (w->block != l->flow.block_of[index])
        *w = (waiting){.block = l->flow.block_of[index]};
    if (instruction->wait_mask & w->loading) {
        w->loading &= (uint8_t)~instruction->wait_mask;
        w->turn++;
    }
    if (class_of(instruction).kind != IFL_ACCESS_KINDS && instruction->write_barrier < BOARDS)
        w->loading |= (uint8_t)(1u << instruction->write_barrier);
    const uint32_t most = (1u << IFL_TURN_BITS) - 1;
    return w->block << IFL_TURN_BITS | (w->turn < most ? w->turn : most);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* The rows of a part's line table, from `first` on, as places of the source. */
static void add_places(const ifl_machine_kernel *kernel, uint32_t first, ifl_source *places)
{
    for (size_t i = 0; i < kernel->line_count; i++) {
        const ifl_machine_line *line = &kernel->lines[i];
        places[i] = (ifl_source){.file = line->file + 1,
                                 .line = line->line,
                                 .inlined_at = line->inlined_at ? first + line->inlined_at - 1 : 0,
                                 .function = line->function};
    }
}

static uint32_t place_of(const ifl_machine_kernel *kernel, uint32_t first, uint32_t offset)
{
    const ifl_machine_line *line = ifl_machine_line_at(kernel, offset);
    return line && line->line ? first + (uint32_t)(line - kernel->lines) : 0;
}

static bool add_files(ifl_sass_lowerer *l)
{
    const ifl_machine *machine = l->input->object->machine;
    const char **files = ifl_sass_lower_allocate(l, (machine->file_count + 1) * sizeof *files);
    if (!files)
        return false;
    files[0] = "";
    for (size_t i = 0; i < machine->file_count; i++)
        files[i + 1] = machine->files[i];
    l->image->sites.files = files;
    l->image->sites.file_count = machine->file_count + 1;
    l->image->sites.file = machine->file;
    return true;
}

/* ---- sites ----------------------------------------------------------------------------------- */

static uint8_t role_of(unsigned op)
{
    switch (op) {
    case IFL_SASS_OP_BRA:
    case IFL_SASS_OP_BRX:
    case IFL_SASS_OP_BRXU:
    case IFL_SASS_OP_CALL:
    case IFL_SASS_OP_RET:
        return IFL_SITE_BRANCH;
    case IFL_SASS_OP_BAR:
        return IFL_SITE_BARRIER;
    default:
        return IFL_SITE_PLAIN;
    }
}

static uint8_t pipe_of(const ifl_sass_instruction *instruction)
{
    static const uint8_t plus_1[] = {
        [IFL_SASS_PIPE_ALU] = IFL_PIPE_ALU + 1,
        [IFL_SASS_PIPE_FMA] = IFL_PIPE_FMA + 1,
        [IFL_SASS_PIPE_FMAHEAVY] = IFL_PIPE_FMA + 1,
        [IFL_SASS_PIPE_FP16] = IFL_PIPE_FP16 + 1,
        [IFL_SASS_PIPE_FP64] = IFL_PIPE_FP64 + 1,
        [IFL_SASS_PIPE_XU] = IFL_PIPE_XU + 1,
        [IFL_SASS_PIPE_LSU] = IFL_PIPE_LSU + 1,
        [IFL_SASS_PIPE_ADU] = IFL_PIPE_ADU + 1,
        [IFL_SASS_PIPE_TEX] = IFL_PIPE_TEX + 1,
        [IFL_SASS_PIPE_UNIFORM] = IFL_PIPE_UNIFORM + 1,
        [IFL_SASS_PIPE_CBU] = IFL_PIPE_CBU + 1,
        [IFL_SASS_PIPE_TENSOR_FP] = IFL_PIPE_TENSOR + 1,
        [IFL_SASS_PIPE_TENSOR_INT] = IFL_PIPE_TENSOR + 1,
        [IFL_SASS_PIPE_TENSOR_DP] = IFL_PIPE_TENSOR + 1,
        [IFL_SASS_PIPE_TC] = IFL_PIPE_TENSOR + 1,
    };
    const unsigned pipe = ifl_sass_op_pipe(instruction->op, instruction->sm);
    return pipe < sizeof plus_1 && plus_1[pipe] ? plus_1[pipe] - 1 : IFL_PIPES;
}

/* ---- operations ------------------------------------------------------------------------------ */

static bool is_zero(const ifl_sass_operand *operand)
{
    return operand && operand->kind == IFL_SASS_REGISTER && operand->index == IFL_SASS_NO_REGISTER;
}

/* HFMA2 of zeros makes a constant, HADD2.F32 widens a half. */
static bool is_move_of_halves(const ifl_sass_instruction *instruction)
{
    const bool is_a = is_zero(ifl_sass_operand_of(instruction, IFL_SASS_ROLE_A)),
               is_b = is_zero(ifl_sass_operand_of(instruction, IFL_SASS_ROLE_B));
    return (instruction->op == IFL_SASS_OP_HFMA2 && is_a && is_b) ||
           (instruction->op == IFL_SASS_OP_HADD2 && is_a);
}

typedef struct operations {
    uint8_t kind; /* ifl_flop */
    uint32_t count;
} operations;

static operations operations_of(const ifl_sass_instruction *instruction)
{
    enum { WARP_LANES = 32 };
    const ifl_sass_matrix shape =
        ifl_sass_word_matrix(ifl_sass_value(instruction, IFL_SASS_VALUE_SHAPE));
    const uint32_t products = (uint32_t)shape.rows * shape.columns * shape.depth;
    if (is_move_of_halves(instruction))
        return (operations){IFL_FLOPS, 0};
    if (instruction->op == IFL_SASS_OP_HADD2 &&
        ifl_sass_value(instruction, IFL_SASS_VALUE_TYPE) == IFL_SASS_WORD_F32)
        return (operations){IFL_FLOP_SINGLE, 1};
    const ifl_sass_pipe pipe = ifl_sass_op_pipe(instruction->op, instruction->sm);
    if (pipe == IFL_SASS_PIPE_TENSOR_FP || pipe == IFL_SASS_PIPE_TENSOR_DP)
        return (operations){IFL_FLOP_MATRIX, 2 * products / WARP_LANES};
    const uint8_t kind = instruction->sass_class == IFL_SASS_DOUBLE ? IFL_FLOP_DOUBLE
                         : instruction->sass_class == IFL_SASS_HALF ? IFL_FLOP_HALF
                                                                    : IFL_FLOP_SINGLE;
    const uint32_t flops = ifl_sass_op_flops(instruction->op);
    return (operations){flops ? kind : IFL_FLOPS, flops};
}

/* ---- control words --------------------------------------------------------------------------- */

static uint8_t delay_of(const ifl_sass_instruction *instruction)
{
    static const uint8_t delays[IFL_SASS_LATENCIES] = {
        [IFL_SASS_LATENCY_VARIABLE] = IFL_DELAY_UNIT,
        [IFL_SASS_LATENCY_SPECIAL] = IFL_DELAY_SPECIAL,
        [IFL_SASS_LATENCY_L1] = IFL_DELAY_L1,
        [IFL_SASS_LATENCY_SHARED] = IFL_DELAY_SHARED,
        [IFL_SASS_LATENCY_CONSTANT] = IFL_DELAY_CONSTANT,
        [IFL_SASS_LATENCY_TEXTURE] = IFL_DELAY_TEXTURE,
        [IFL_SASS_LATENCY_ASYNC] = IFL_DELAY_GROUP,
    };
    return delays[ifl_sass_op_latency(instruction->op, instruction->sm)];
}

/* DEPBAR.LE SB0, 0x1 waits until at most one is outstanding. */
static void find_drain(const ifl_sass_instruction *instruction, ifl_control *to)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        if (operand->kind == IFL_SASS_SCOREBOARD && to->step != IFL_STEP_DRAIN) {
            to->step = IFL_STEP_DRAIN;
            to->board = operand->index < BOARDS ? operand->index : 0;
        } else if (operand->kind == IFL_SASS_IMMEDIATE && operand->value >= 0 &&
                   operand->value < UINT8_MAX) {
            to->left = (uint8_t)operand->value;
        }
    }
}

/* The register that a port reads; NULL: none. */
static const ifl_sass_operand *source_at(const ifl_sass_instruction *instruction, unsigned port)
{
    static const ifl_sass_role roles[] = {IFL_SASS_ROLE_A, IFL_SASS_ROLE_B, IFL_SASS_ROLE_C};
    const ifl_sass_operand *found = ifl_sass_operand_of(instruction, roles[port]);
    const bool is_read =
        found && found->kind == IFL_SASS_REGISTER && found->index != IFL_SASS_NO_REGISTER;
    return is_read ? found : NULL;
}

/* An operand stays at hand for the next instruction that reads the same register through the same
 * port. */
static bool is_kept(const ifl_sass_instruction *before, unsigned port,
                    const ifl_sass_operand *source)
{
    const ifl_sass_operand *held =
        before && before->reuse >> port & 1 ? source_at(before, port) : NULL;
    return held && held->index == source->index;
}

/* A register that an earlier port of the instruction reads too is read once (tools/gpu/exchange_probe.cu: FFMA R1, R1, R1, R1
 * issues every cycle on an H200). */
static bool is_read_before(const ifl_sass_instruction *instruction, unsigned port, unsigned index)
{
    for (unsigned before = 0; before < port; before++) {
        const ifl_sass_operand *other = source_at(instruction, before);
        if (other && index >= other->index && index < other->index + other->count)
            return true;
    }
    return false;
}

static void find_sources(const ifl_sass_instruction *instruction,
                         const ifl_sass_instruction *before, ifl_control *to)
{
    enum { PORTS = 3 };
    for (unsigned port = 0; port < PORTS; port++) {
        const ifl_sass_operand *source = source_at(instruction, port);
        for (unsigned word = 0; source && word < source->count; word++) {
            const unsigned index = source->index + word, bank = index & 1;
            if (is_read_before(instruction, port, index))
                continue;
            to->sources[bank]++;
            to->kept[bank] = (uint8_t)(to->kept[bank] + is_kept(before, port, source));
        }
    }
}

/* The line of a constant bank that it names; loads (LDC) have a cache of their own. */
static uint16_t constant_of(const ifl_sass_instruction *instruction)
{
    enum { LINE_BYTES = 64, BANK_LINES = 1 << 10, BANKS = 32 };
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const ifl_sass_operand *operand = &instruction->operand[i];
        const bool is_fixed = operand->kind == IFL_SASS_CONSTANT &&
                              operand->base == IFL_SASS_NO_REGISTER &&
                              operand->uniform == IFL_SASS_NO_REGISTER;
        const uint32_t line = (uint32_t)operand->value / LINE_BYTES % BANK_LINES;
        if (is_fixed && operand->index < BANKS)
            return (uint16_t)(1 + operand->index * BANK_LINES + line);
    }
    return 0;
}

static uint8_t fence_step(const ifl_sass_instruction *instruction)
{
    switch (ifl_sass_value(instruction, IFL_SASS_VALUE_SCOPE)) {
    case IFL_SASS_WORD_GPU:
        return IFL_STEP_FENCE;
    case IFL_SASS_WORD_SYS:
        return IFL_STEP_FENCE_SYSTEM;
    default:
        return IFL_STEP_FENCE_BLOCK;
    }
}

/* Upper halves of integer products. An H100: IMAD.HI and IMAD.WIDE four cycles of a scheduler, IMAD
 * two (tools/gpu/sm_probe.cu). */
static bool takes_twice(const ifl_sass_instruction *instruction)
{
    if (instruction->op != IFL_SASS_OP_IMAD)
        return false;
    const ifl_sass_word part = ifl_sass_value(instruction, IFL_SASS_VALUE_PART);
    return part == IFL_SASS_WORD_WIDE || part == IFL_SASS_WORD_HI;
}

/* The lane and the thread's first index are at hand where a warp starts. */
static bool is_in_turn(const ifl_sass_instruction *instruction)
{
    enum { LANE = 0, FIRST_INDEX = 33 };
    const ifl_sass_operand *from = ifl_sass_operand_of(instruction, IFL_SASS_ROLE_A);
    return ifl_sass_op_latency(instruction->op, instruction->sm) == IFL_SASS_LATENCY_SPECIAL &&
           from && from->kind == IFL_SASS_SPECIAL && from->value != LANE &&
           from->value != FIRST_INDEX;
}

/* Lanes that have parted meet, or some may end and the others go on. */
static bool is_join(const ifl_sass_instruction *instruction)
{
    return instruction->op == IFL_SASS_OP_BSYNC ||
           (instruction->op == IFL_SASS_OP_EXIT && ifl_sass_is_guarded(instruction));
}

/* Where it leads a register says. */
static bool is_indirect(const ifl_sass_instruction *instruction)
{
    return instruction->op == IFL_SASS_OP_RET || instruction->op == IFL_SASS_OP_BRX ||
           instruction->op == IFL_SASS_OP_BRXU;
}

static ifl_control control_of(const ifl_sass_instruction *instruction,
                              const ifl_sass_instruction *before)
{
    ifl_control found = {
        .known = true,
        .is_half = ifl_sass_op_pipe(instruction->op, instruction->sm) == IFL_SASS_PIPE_FMAHEAVY,
        .is_twice = takes_twice(instruction),
        .is_in_turn = is_in_turn(instruction),
        .stall = instruction->stall,
        .writes = instruction->write_barrier < BOARDS ? instruction->write_barrier : IFL_NO_BOARD,
        .reads = instruction->read_barrier < BOARDS ? instruction->read_barrier : IFL_NO_BOARD,
        .waits = instruction->wait_mask,
        .delay = delay_of(instruction),
        .constant = constant_of(instruction)};
    find_sources(instruction, before, &found);
    if (instruction->op == IFL_SASS_OP_MEMBAR)
        found.step = fence_step(instruction);
    else if (instruction->op == IFL_SASS_OP_BAR) {
        const bool arrives =
            ifl_sass_value(instruction, IFL_SASS_VALUE_OPERATION) == IFL_SASS_WORD_ARV;
        found.step = arrives ? IFL_STEP_ARRIVE : IFL_STEP_BARRIER;
        found.defers =
            ifl_sass_value(instruction, IFL_SASS_VALUE_DEFER) == IFL_SASS_WORD_DEFER_BLOCKING;
    } else if (instruction->op == IFL_SASS_OP_LDGDEPBAR)
        found.step = IFL_STEP_GROUP;
    else if (ifl_sass_is_forgetting(instruction))
        found.step = IFL_STEP_FORGET;
    else if (instruction->op == IFL_SASS_OP_DEPBAR)
        find_drain(instruction, &found);
    else if (is_join(instruction))
        found.step = IFL_STEP_JOIN;
    else if (is_indirect(instruction))
        found.step = IFL_STEP_INDIRECT;
    return found;
}

/* Names are few: instructions of one name that follow each other share its text. */
static const char *name_of(ifl_sass_lowerer *l, const ifl_sass_instruction *instruction,
                           const char *last)
{
    char name[96];
    ifl_sass_mnemonic(instruction, name, sizeof name);
    return last && strcmp(last, name) == 0 ? last : ifl_arena_text(l->arena, name, strlen(name));
}

/* An atomic that can leave the word as it is, so that code may look first whether it would. */
static bool may_leave(const ifl_sass_instruction *instruction)
{
    switch (ifl_sass_value(instruction, IFL_SASS_VALUE_OPERATION)) {
    case IFL_SASS_WORD_MIN:
    case IFL_SASS_WORD_MAX:
    case IFL_SASS_WORD_AND:
    case IFL_SASS_WORD_OR:
    case IFL_SASS_WORD_EXCH:
    case IFL_SASS_WORD_CAS:
        return true;
    default:
        return false;
    }
}

static int by_address(const void *a, const void *b)
{
    const ifl_sass_sum *x = a, *y = b;
    return x->symbol != y->symbol ? (x->symbol > y->symbol) - (x->symbol < y->symbol)
                                  : (x->added > y->added) - (x->added < y->added);
}

static bool is_far(const ifl_site_access *access, ifl_access_kind kind)
{
    return access->kind == kind &&
           (access->space == IFL_SPACE_GLOBAL || access->space == IFL_SPACE_GENERIC);
}

/* Does a part of the code load a word of global memory, and change it by such an atomic? */
static bool looks_first(ifl_sass_lowerer *l, const ifl_sass_part *part, const ifl_site *sites)
{
    const uint32_t end = part->first + part->count;
    ifl_sass_sums *sums = ifl_sass_lower_allocate(l, sizeof *sums);
    ifl_sass_sum *loads = ifl_sass_lower_allocate(l, ((size_t)part->count + 1) * sizeof *loads), at;
    size_t count = 0;
    if (!sums || !loads)
        return false;
    for (uint32_t i = part->first; i < end; i++)
        if (is_far(&sites[i].access, IFL_ACCESS_LOAD) && sites[i].access.base)
            loads[count++] = (ifl_sass_sum){sites[i].access.base, sites[i].access.offset};
    qsort(loads, count, sizeof *loads, by_address);
    ifl_sass_sums_begin(sums);
    for (uint32_t i = part->first; i < end && count; i++) {
        if (is_far(&sites[i].access, IFL_ACCESS_ATOMIC) && may_leave(&l->instructions[i]) &&
            ifl_sass_sums_address(sums, &l->instructions[i], &at) &&
            bsearch(&at, loads, count, sizeof *loads, by_address))
            return true;
        ifl_sass_sums_note(sums, &l->instructions[i]);
    }
    return false;
}

/* A call that leaves the code, where this calls the driver for values of textures, counts as their
 * load. */
static ifl_site_access access_with_calls(const ifl_sass_instruction *instruction,
                                         const ifl_object_text *text)
{
    ifl_site_access access = access_of(instruction);
    if (text->calls_textures && instruction->op == IFL_SASS_OP_CALL &&
        ifl_sass_value(instruction, IFL_SASS_VALUE_RELATIVE) == IFL_SASS_WORD_ABS) {
        access.kind = IFL_ACCESS_TEXTURE_LOAD;
        access.space = IFL_SPACE_GLOBAL;
    }
    return access;
}

static void add_part(ifl_sass_lowerer *l, const ifl_sass_part *part, uint32_t first_place,
                     ifl_site *sites, waiting *w)
{
    const char *name = NULL;
    ifl_sass_sums *sums = ifl_sass_lower_allocate(l, sizeof *sums);
    ifl_sass_sum at;
    if (!sums)
        return;
    ifl_sass_sums_begin(sums);
    for (uint32_t i = part->first; i < part->first + part->count && (name || i == part->first);
         i++) {
        const ifl_sass_instruction *instruction = &l->instructions[i];
        const operations computed = operations_of(instruction);
        name = name_of(l, instruction, name);
        sites[i] = (ifl_site){
            .name = name,
            .place = place_of(part->text->kernel, first_place, instruction->offset),
            .address = instruction->offset,
            .function = part->text->kernel->name,
            .role = role_of(instruction->op),
            .pipe = pipe_of(instruction),
            .flop = computed.kind,
            .traits = name ? ifl_sass_traits(name) : 0,
            .flops = computed.count,
            .open = open_of(instruction),
            .turn = next_turn(l, i, w),
            .access = access_with_calls(instruction, part->text),
            .control = control_of(instruction, i > part->first ? instruction - 1 : NULL)};
        if (sites[i].access.kind == IFL_ACCESS_LOAD &&
            ifl_sass_sums_address(sums, instruction, &at)) {
            sites[i].access.base = at.symbol;
            sites[i].access.offset = (int32_t)at.added;
        }
        ifl_sass_sums_note(sums, instruction);
    }
    if (!name && l->status == IFL_OK)
        l->status = ifl_fail_memory(l->error, part->count);
}

bool ifl_sass_lower_add_sites(ifl_sass_lowerer *l)
{
    size_t count = 1;
    for (size_t p = 0; p < l->part_count; p++)
        count += l->parts[p].text->kernel->line_count;
    ifl_source *places = ifl_sass_lower_allocate(l, (count + 1) * sizeof *places);
    ifl_site *sites = ifl_sass_lower_allocate(l, ((size_t)l->count + 1) * sizeof *sites);
    if (!places || !sites || !add_files(l))
        return false;
    uint32_t first = 1;
    waiting w = {.block = UINT32_MAX};
    for (size_t p = 0; p < l->part_count && l->status == IFL_OK; p++) {
        add_places(l->parts[p].text->kernel, first, places + first);
        add_part(l, &l->parts[p], first, sites, &w);
        if (l->status == IFL_OK && looks_first(l, &l->parts[p], sites))
            l->image->demands.ordered = l->image->demands.looks_first = true;
        first += (uint32_t)l->parts[p].text->kernel->line_count;
    }
    l->image->sites.at = sites;
    l->image->sites.count = l->count;
    l->image->sites.places = places;
    l->image->sites.place_count = count;
    return l->status == IFL_OK;
}
