/* SPDX-License-Identifier: Apache-2.0
 * Machine code as data: the kernels of a cubin, their instructions decoded, and what they say about
 * loads, loops and registers. Knows files and tables only; nothing of PTX, engines or profiles.
 *
 *     bytes -> ifl_machine (cubin.c: ELF, .nv.info, line tables) -> ifl_sass_decode (decode.c and the .def tables)
 *           -> ifl_sass_analyze (flow of a kernel: blocks, loops, waits) */
#ifndef IFL_SASS_SASS_H
#define IFL_SASS_SASS_H

#include "base/arena.h"
#include "base/error.h"
#include "code/flow.h"
#include "sass/sass_role.h"

/* ---- the kernels of a cubin ------------------------------------------------------------------ */

typedef struct ifl_machine_line {
    uint32_t offset; /* of the instruction in the kernel's code */
    uint32_t file;   /* into files */
    uint32_t line;
    uint32_t inlined_at;  /* 1 + index of the row that this one is inlined at; 0: not inlined */
    const char *function; /* the inlined function, or NULL */
} ifl_machine_line;

typedef struct ifl_machine_parameter {
    uint32_t ordinal, offset, bytes;
} ifl_machine_parameter;

/* A function that has no section of its own: it lies in the code of its only caller. */
typedef struct ifl_machine_symbol {
    uint32_t offset, bytes;
    const char *name, *demangled;
} ifl_machine_symbol;

typedef struct ifl_machine_kernel {
    const char *name; /* as the file has it */
    const char *demangled;
    bool is_kernel;      /* false: a device function with a section of its own */
    uint32_t sm;         /* 90 */
    uint32_t ptx_sm;     /* of the PTX that it was made of; 0 unknown */
    bool is_debug;       /* compiled for a debugger (nvcc -G, ptxas -g), without optimizations */
    const uint8_t *code; /* 16 bytes an instruction */
    uint64_t code_bytes;
    uint64_t code_file_offset;    /* for messages */
    uint32_t registers;           /* REGCOUNT; 0 unknown */
    uint64_t static_shared_bytes; /* without the reserved part */
    uint64_t reserved_shared_bytes;
    uint32_t frame_bytes, min_stack_bytes;
    uint32_t cluster[3]; /* blocks of the clusters that the kernel asks for; 0: nothing is said */
    uint32_t max_cluster_blocks; /* 0: nothing is said */
    bool needs_cluster;          /* the launch must say */
    uint32_t max_threads[3];     /* launch bounds; 0: not given */
    uint32_t barriers;
    uint32_t param_base; /* in constant bank 0 */
    const ifl_machine_parameter *parameters;
    size_t parameter_count;
    const uint32_t *exits; /* EXIT_INSTR_OFFSETS */
    size_t exit_count;
    const uint32_t
        *jump_targets; /* INDIRECT_BRANCH_TARGETS: offsets that jumps through registers go to */
    size_t jump_target_count;
    const ifl_machine_line
        *lines; /* ascending offsets; of several at one offset the last one counts */
    size_t line_count;
    const ifl_machine_symbol
        *symbols; /* functions inside this code, ascending; without the kernel itself */
    size_t symbol_count;
    const char
        *lines_missing; /* why there is a line table but no lines of this kernel; NULL otherwise */
} ifl_machine_kernel;

typedef struct ifl_machine {
    ifl_arena arena;
    const char *file;
    ifl_machine_kernel *kernels; /* functions too */
    size_t kernel_count;
    const char **files;
    size_t file_count;
    bool is_list; /* the kernels have no code, lines and lists: ifl_machine_list */
    uint32_t sm;  /* of a list: what was asked for */
} ifl_machine;

/* Reads every cubin of a file: a cubin itself, or all that the fatbins of an executable, object,
 * shared library or fatbin hold (compressed or not). `sm` 0 takes all, else only that target. Sizes
 * that lie are IFL_BAD_INPUT with the offset. A file without machine code is IFL_BAD_INPUT that
 * says what it holds. */
ifl_status ifl_machine_read(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error);
/* The same without code: names and figures only, in little memory. */
ifl_status ifl_machine_list(const char *path, uint32_t sm, ifl_machine **out, ifl_error *error);
/* The cubins of a file that hold a kernel of one of the names. */
ifl_status ifl_machine_read_named(const char *path, uint32_t sm, const char *const *names,
                                  size_t count, ifl_machine **out, ifl_error *error);
/* One cubin in memory; what is kept is copied. */
ifl_status ifl_machine_read_cubin(const char *name, const uint8_t *bytes, size_t size,
                                  ifl_machine *into, ifl_error *error);
void ifl_machine_free(ifl_machine *machine);
/* An empty machine for ifl_machine_read_cubin, or NULL without memory; `file` is copied. */
ifl_machine *ifl_machine_new(const char *file);

/* The same files, one cubin at a time: `cubin` is gone when `visit` returns, so that a library of
 * any size is read in little memory. A status other than IFL_OK ends the reading and is
 * returned. */
typedef ifl_status (*ifl_machine_visitor)(void *user, const ifl_machine *cubin, ifl_error *error);
ifl_status ifl_machine_each(const char *path, uint32_t sm, ifl_machine_visitor visit, void *user,
                            ifl_error *error);

/* Where machine code is: a file, or `bytes` of the name. */
typedef struct ifl_machine_source {
    const char *name;
    const uint8_t *bytes; /* NULL: the file `name` */
    size_t size;
} ifl_machine_source;

/* Each cubin of the newest target that a GPU of compute capability `sm` (90) runs; the bytes are
 * gone when `visit` returns. IFL_UNSUPPORTED: there is none; IFL_BAD_INPUT: no machine code at
 * all. */
typedef ifl_status (*ifl_cubin_visitor)(void *user, const char *name, const uint8_t *bytes,
                                        size_t size, ifl_error *error);
ifl_status ifl_machine_each_runnable(const ifl_machine_source *source, uint32_t sm,
                                     ifl_cubin_visitor visit, void *user, ifl_error *error);

/* The code that a GPU of compute capability `sm` runs, or else, if so wanted, that of the newest
 * target. */
ifl_status ifl_machine_read_best(const ifl_machine_source *source, uint32_t sm, bool or_newest,
                                 ifl_machine **out, ifl_error *error);

/* The targets that a file holds machine code for, ascending, without unpacking any of it. */
enum { IFL_MACHINE_TARGETS = 32 };
typedef struct ifl_machine_target_list {
    uint32_t sm[IFL_MACHINE_TARGETS];
    size_t count;
} ifl_machine_target_list;
ifl_status ifl_machine_targets(const char *path, ifl_machine_target_list *out, ifl_error *error);

/* The kernel of that name as the file has it, or NULL. */
const ifl_machine_kernel *ifl_machine_find(const ifl_machine *machine, const char *name);

/* The row for the instruction at `offset`, or NULL. */
const ifl_machine_line *ifl_machine_line_at(const ifl_machine_kernel *kernel, uint32_t offset);

/* ---- one instruction ------------------------------------------------------------------------- */

typedef enum ifl_sass_operand_kind {
    IFL_SASS_NONE,
    IFL_SASS_REGISTER,          /* R0..R254, RZ is 255 */
    IFL_SASS_UNIFORM_REGISTER,  /* UR0..UR62 (UR254), URZ */
    IFL_SASS_PREDICATE,         /* P0..P6, PT is 7 */
    IFL_SASS_UNIFORM_PREDICATE, /* UP0..UP6, UPT */
    IFL_SASS_BARRIER_REGISTER,  /* B0..B15 */
    IFL_SASS_SCOREBOARD,        /* SB0..SB5 */
    IFL_SASS_SPECIAL,           /* value: the number of a special register, or the bits of a name */
    IFL_SASS_IMMEDIATE,         /* value: the bits; is_float says how it is written */
    /* c[bank][index register + value], or by a descriptor: cx[descriptor][value] */
    IFL_SASS_CONSTANT,
    IFL_SASS_MEMORY, /* [base register + uniform register + value], beside a descriptor or not */
    IFL_SASS_TARGET  /* value: byte offset in the function's code */
} ifl_sass_operand_kind;

typedef struct ifl_sass_operand {
    uint8_t kind;
    uint8_t role;  /* ifl_sass_role */
    uint8_t index; /* register number; constant: bank */
    uint8_t
        count; /* words of 32 bits: registers from index on, words of a constant (1, 2, 4, ...) */
    bool is_destination;
    bool negated, absolute, inverted; /* -x, |x|, ~x or !x; -|x| where both */
    bool
        is_float; /* an immediate of a float's bits: of the upper word of a double, of two halves */
    bool is_double;  /* of those of the upper word of a double */
    uint8_t base;    /* MEMORY, CONSTANT: base register, 255: none */
    uint8_t uniform; /* MEMORY, CONSTANT: uniform register added, 255: none */
    bool
        /* MEMORY, CONSTANT: read by the descriptor in the uniform registers from `descriptor` on */
        has_descriptor;
    uint8_t descriptor;
    uint8_t scale; /* MEMORY: of the base register: .64, .X4, .X8, .X16 as written (0: none) */
    uint16_t
        /* ifl_sass_word: the part of the register that is read (H0_H0, B1, ...); 0: none can be
         * chosen */
        select;
    int64_t value;
} ifl_sass_operand;

enum { IFL_SASS_OPERANDS = 12 };

/* What an instruction is for: the useful ones are those that the source asks for. */
typedef enum ifl_sass_class {
    IFL_SASS_OTHER,
    IFL_SASS_LOAD_GLOBAL,
    IFL_SASS_STORE_GLOBAL,
    IFL_SASS_ATOMIC_GLOBAL,
    IFL_SASS_LOAD_SHARED,
    IFL_SASS_STORE_SHARED,
    IFL_SASS_ATOMIC_SHARED,
    IFL_SASS_LOAD_LOCAL,
    IFL_SASS_STORE_LOCAL, /* spills and local arrays */
    IFL_SASS_LOAD_GENERIC,
    IFL_SASS_STORE_GENERIC,
    IFL_SASS_LOAD_CONSTANT,
    IFL_SASS_COPY_ASYNC,
    IFL_SASS_FLOAT,
    IFL_SASS_DOUBLE,
    IFL_SASS_HALF,
    IFL_SASS_TENSOR,
    IFL_SASS_INTEGER,
    IFL_SASS_CONVERT,
    IFL_SASS_SPECIAL_FUNCTION,
    IFL_SASS_PREDICATE_LOGIC,
    IFL_SASS_MOVE,
    IFL_SASS_BRANCH,
    IFL_SASS_BARRIER,
    IFL_SASS_EXIT_CLASS,
    IFL_SASS_WARP,
    IFL_SASS_UNIFORM,
    IFL_SASS_TEXTURE,
    IFL_SASS_CLASSES
} ifl_sass_class;

/* "global loads", "integer": for tables and JSON keys (with _ for blanks). */
const char *ifl_sass_class_text(ifl_sass_class sass_class);

/* Accesses are counted by the log2 of a lane's bytes: 1, 2, 4, 8, 16, 32. */
enum { IFL_SASS_WIDTHS = 6, IFL_SASS_WARP_LANES = 32 };

typedef struct ifl_sass_instruction {
    uint32_t offset;
    uint16_t sm;
    uint16_t op;          /* ifl_sass_op: the mnemonic; IFL_SASS_OP_UNKNOWN: see word */
    uint8_t sass_class;   /* ifl_sass_class */
    uint8_t memory_bytes; /* of a lane's access: 1, 2, 4, 8, 16, 32; 0: none */
    uint8_t guard;        /* predicate 0..6, 7 PT */
    bool guard_negated, guard_uniform;
    ifl_sass_operand operand[IFL_SASS_OPERANDS];
    unsigned operand_count;
    /* the control word */
    uint8_t stall; /* cycles */
    bool yield;
    uint8_t write_barrier; /* scoreboard set when the result is there, 7: none */
    uint8_t read_barrier;  /* scoreboard set when the sources have been read, 7: none */
    uint8_t wait_mask;     /* scoreboards waited for before issue */
    uint8_t reuse;
    uint64_t word[2];
    uint16_t row; /* 1 + the row of the decoder's table; 0: made by hand */
} ifl_sass_instruction;

/* The rows of one architecture by their opcodes. */
enum { IFL_SASS_BASES = 512, IFL_SASS_MOST_ROWS = 1024 };
typedef struct ifl_sass_decoder {
    uint16_t sm, architecture;
    uint16_t first[IFL_SASS_BASES];    /* 1 + a row, 0: none */
    uint16_t next[IFL_SASS_MOST_ROWS]; /* of the same opcode, as `first` */
} ifl_sass_decoder;

/* For 75, 80, 86, 87, 89, 90, 100, 103, 120, 121; false for others. A matter of a microsecond. */
bool ifl_sass_decoder_init(ifl_sass_decoder *decoder, uint32_t sm);
bool ifl_sass_supports(uint32_t sm);
/* Decodes 16 bytes of code. False for a word of no row: its op is then IFL_SASS_OP_UNKNOWN and the
 * words are kept. Never guesses. */
bool ifl_sass_decode(const ifl_sass_decoder *decoder, const uint8_t *bytes, uint32_t offset,
                     ifl_sass_instruction *out);
/* Writes an instruction as nvdisasm does, without guard or control: "LDG.E R2, desc[UR4][R2.64]".
 * Returns `to`. */
char *ifl_sass_text(const ifl_sass_instruction *instruction, char *to, size_t size);
/* The same behind its guard: "@!P0 BRA 0x1f0"; a word of no row in hexadecimal digits. */
char *ifl_sass_guarded_text(const ifl_sass_instruction *instruction, char *to, size_t size);
/* Its mnemonic with modifiers: "LDG.E". */
char *ifl_sass_mnemonic(const ifl_sass_instruction *instruction, char *to, size_t size);

/* ---- what an instruction can be asked -------------------------------------------------------- */

/* The value of a role: IFL_SASS_WORD_RZ; IFL_SASS_WORD_ABSENT where the instruction has no such
 * field, or was made by hand. */
ifl_sass_word ifl_sass_value(const ifl_sass_instruction *instruction, ifl_sass_value_role role);
/* The operand of a role, or NULL. */
const ifl_sass_operand *ifl_sass_operand_of(const ifl_sass_instruction *instruction,
                                            ifl_sass_role role);

/* What nvdisasm names a 32-bit IMAD for, by its operands: it is a copy, a sum or a shift. */
typedef enum ifl_sass_product {
    IFL_SASS_PRODUCT,
    IFL_SASS_PRODUCT_MOVES,
    IFL_SASS_PRODUCT_ADDS,
    IFL_SASS_PRODUCT_SHIFTS
} ifl_sass_product;
ifl_sass_product ifl_sass_product_of(const ifl_sass_instruction *instruction);

/* "FFMA"; NULL for IFL_SASS_OP_UNKNOWN. */
const char *ifl_sass_op_text(unsigned op);
ifl_sass_class ifl_sass_op_class(unsigned op);
ifl_sass_pipe ifl_sass_op_pipe(unsigned op, uint32_t sm);
ifl_sass_latency ifl_sass_op_latency(unsigned op, uint32_t sm);
/* Operations on floats of a lane; 0: none, or a product of matrices. */
unsigned ifl_sass_op_flops(unsigned op);
/* Has it one result for the whole warp, whichever of its lanes are active? */
bool ifl_sass_op_is_uniform(unsigned op);
/* UIADD3 -> IADD3: the instruction that it computes as, mostly itself. */
unsigned ifl_sass_op_as(unsigned op);

/* ".RZ": what a value adds to a mnemonic, where it is written; "" for what is never written. */
const char *ifl_sass_word_text(ifl_sass_word word);
/* Of a type or width: its bits; 0: it has none. */
unsigned ifl_sass_word_bits(ifl_sass_word word);
/* Of the shape of a matrix product: d has rows x columns, a rows x depth, b depth x columns. */
typedef struct ifl_sass_matrix {
    uint16_t rows, columns, depth;
} ifl_sass_matrix;
ifl_sass_matrix ifl_sass_word_matrix(ifl_sass_word word);

/* ---- a kernel's flow ------------------------------------------------------------------------- */

typedef struct ifl_sass_loop {
    ifl_flow_loop at;
    uint32_t instructions; /* of one trip along all its own blocks, inner loops left out */
    uint32_t loads[IFL_SASS_CLASSES]; /* by class (loads and stores), count */
    uint32_t load_bytes_in_flight;    /* most bytes a warp has outstanding at a wait, 32 lanes */
    uint32_t
        exposed_latencies; /* distinct waits on long-latency loads issued in the loop, a trip */
    uint32_t
        register_reuses; /* times a load's destination register is a load's destination again in one
                                               trip, as document 000 counts */
    uint32_t spill_loads, spill_stores;
    uint32_t useful, address_arithmetic;                     /* instructions */
    uint32_t width_count[IFL_SASS_CLASSES][IFL_SASS_WIDTHS]; /* of accesses */
} ifl_sass_loop;

/* What an instruction's result is for. */
typedef enum ifl_sass_purpose {
    /* constants, parameters, indexes, moves, spills, synchronisation of a warp's branches */
    IFL_SASS_SET_UP,
    /* the source asks for it: accesses, and arithmetic on what is loaded and stored */
    IFL_SASS_USEFUL,
    IFL_SASS_ADDRESS, /* integer arithmetic that ends in addresses */
    IFL_SASS_CONTROL, /* branches, exits, and arithmetic that ends in predicates only */
    IFL_SASS_PURPOSES
} ifl_sass_purpose;

const char *ifl_sass_purpose_text(ifl_sass_purpose purpose);

/* What one pass through a block costs a warp that has the SM to itself; in a loop, of one trip
 * among many. */
typedef struct ifl_sass_turn {
    double load_waits;   /* waits for loads of global memory, one after the other */
    double load_spread;  /* over those: the sum of log2 of how many loads each waits for */
    double shared_waits; /* waits for shared or local memory */
    double cycles;       /* from issue to issue, as the control words hold it */
} ifl_sass_turn;

typedef struct ifl_sass_kernel {
    const ifl_machine_kernel *kernel;
    ifl_sass_instruction *instructions;
    size_t instruction_count;
    size_t unknown; /* words that no row fits */
    ifl_flow flow;
    ifl_sass_loop *loops;
    size_t loop_count;
    uint32_t spill_load_bytes, spill_store_bytes; /* a thread, each instruction once */
    uint32_t
        spilled_at_once_bytes; /* of the stack, the most that is loaded again from one place of the code on */
    uint32_t bytes_in_flight; /* of a warp: the most at any wait */
    uint32_t
        exposed_latencies; /* waits on loads outside of loops, on the way through the kernel once */
    uint8_t *purpose;      /* ifl_sass_purpose of each instruction */
    uint32_t *
        /* of each instruction: in flight of a warp where it waits for loads; 0: it does not */
        wait_bytes;
    bool *reached;        /* of each block: by some path from the entry */
    ifl_sass_turn *turns; /* of each block; NULL: not asked for */
} ifl_sass_kernel;

/* Does it depend on a predicate whether it happens? */
bool ifl_sass_is_guarded(const ifl_sass_instruction *instruction);
/* A load whose latency a warp can be exposed to: of global, generic or local memory, a texture, an
 * atomic's old value. */
bool ifl_sass_is_long_load(const ifl_sass_instruction *instruction);
/* A stack access at a fixed place: [R1+n]. */
bool ifl_sass_is_spill(const ifl_sass_instruction *instruction);

/* Everything is taken from `arena`. */
ifl_status ifl_sass_analyze(const ifl_machine_kernel *kernel, ifl_arena *arena,
                            ifl_sass_kernel *out, ifl_error *error);
/* Fills `turns` of a kernel that was analysed. */
ifl_status ifl_sass_find_turns(ifl_sass_kernel *kernel, ifl_arena *arena, ifl_error *error);

#endif
