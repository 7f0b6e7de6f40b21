/* SPDX-License-Identifier: Apache-2.0
 * Calls of the CUDA runtime and driver as rows of words, and what may stand in each word: right,
 * wrong, or anything. The table test puts one wrong word into each call; the random test puts any
 * word anywhere. Words are passed as the System V ABI for x86-64 passes integers: six in registers,
 * the rest on the stack. */
#ifndef IFL_TEST_WORDS_H
#define IFL_TEST_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t word;

enum { MOST_WORDS = 15, MOST_WRONG = 8 };

typedef enum word_kind {
    WORD_END,
#define WORD(name, role, class, number) WORD_##name,
#include "call_word.def"
#undef WORD
} word_kind;

typedef enum object_class {
    CLASS_NONE,
    CLASS_STREAM,
    CLASS_EVENT,
    CLASS_GRAPH,
    CLASS_EXEC,
    CLASS_NODE,
    CLASS_KERNEL_NODE,
    CLASS_COPY_NODE,
    CLASS_LINE_NODE, /* a copy of one row */
    CLASS_SET_NODE,
    CLASS_HOST_NODE,
    CLASS_CHILD_NODE,
    CLASS_RECORD_NODE,
    CLASS_WAIT_NODE,
    CLASS_ALLOCATE_NODE,
    CLASS_FREE_NODE,
    CLASS_POOL,
    CLASS_CONTEXT,
    CLASS_MODULE,
    CLASS_FUNCTION,
    CLASS_LINK,
    CLASS_LINK_WHOLE, /* that a text was added to */
    CLASS_LOG,        /* a callback of the driver's log */
    CLASS_ARRAY,      /* 64 × 8 floats, for surfaces too */
    CLASS_TEXTURE,
    CLASS_SURFACE,
    CLASS_DEVICE,
    CLASS_PINNED,  /* host memory that stays: copies of graphs may run at any time */
    CLASS_MANAGED, /* the same */
    CLASS_PINNED_OWN,
    CLASS_MANAGED_OWN,
    CLASS_REGISTERED,
    CLASS_GRAPH_MEMORY,
    CLASS_USER_OBJECT,
    CLASSES
} object_class;

typedef enum word_role {
    ROLE_USE,      /* an object */
    ROLE_GONE,     /* an object that a call which succeeds destroys */
    ROLE_NEW,      /* where a new object's handle goes */
    ROLE_FRESH,    /* an object nothing was done to yet */
    ROLE_CAPTURED, /* a stream that is being captured */
    ROLE_MEMORY,   /* an address that is read or written now */
    ROLE_ANY_MEMORY,
    ROLE_PAGES,
    ROLE_OUT,
    ROLE_MAY_OUT,
    ROLE_IN,
    ROLE_MAY_IN,
    ROLE_POINTER, /* a structure, list or function of pointers.c */
    ROLE_NAME,
    ROLE_SYMBOL,
    ROLE_CHOICE,
    ROLE_NUMBER,
    ROLE_FIXED,
    ROLE_SIZE_XY,
    ROLE_SIZE_X,
    ROLE_SIZE_Z
} word_role;

typedef struct word_about {
    const char *name;
    word_role role;
    object_class of;
    word number;
} word_about;
extern const word_about word_abouts[];

typedef struct call_row {
    int first, last; /* versions of the runtime that have it */
    int code;        /* of a call in which nothing is wrong */
    const char *name;
    word_kind words[MOST_WORDS];
    bool is_driver;
} call_row;
extern const call_row call_rows[];
extern const size_t call_row_count;

/* A word in which something is wrong, and the code that the call then gives, as the runtime numbers
 * it. */
typedef struct wrong_word {
    word is;
    int code;
} wrong_word;

/* ---- the libraries --------------------------------------------------------------------------- */

/* libcudart of a version, and libcuda, both on LD_LIBRARY_PATH; ends the program where they cannot
 * be loaded. */
void load_libraries(int version);
/* NULL: the libraries have no such call. */
void *find_call(const char *name);
int invoke(void *call, const word words[MOST_WORDS]);
/* A call that must succeed; ends the program otherwise. */
#define MUST(name, ...) must(name, (const word[MOST_WORDS]){__VA_ARGS__})
void must(const char *name, const word words[MOST_WORDS]);

/* ---- objects --------------------------------------------------------------------------------- */

enum { MOST_OBJECTS = 16, DEVICE_BYTES = 4096 };

typedef struct objects {
    word live[MOST_OBJECTS], gone[MOST_OBJECTS];
    unsigned live_count, gone_count;
} objects;
extern objects world[CLASSES];

/* One live and one destroyed object of every class; what was there is forgotten. */
void renew_world(void);
void add_object(object_class of, word object);
/* Moves it to those that are gone. */
void lose_object(object_class of, word object);
word live_object(object_class of); /* the newest; 0: there is none */
/* While a stream is captured, many calls must fail. */
void end_captures(void);
/* Addresses of the program that are no handles: unmapped, and own bytes. */
extern const word no_handles[];
extern const size_t no_handle_count;
extern word scratch[512]; /* 4 KiB to write to or to read, zeroed */

/* ---- words ----------------------------------------------------------------------------------- */

word right_word(word_kind kind);
/* Every way in which a word is wrong; how many. */
size_t wrong_words(word_kind kind, wrong_word out[MOST_WRONG]);
/* The same for what is behind pointers (pointers.c). */
word right_pointer(word_kind kind);
size_t wrong_pointers(word_kind kind, wrong_word out[MOST_WRONG]);
/* The PTX that modules are made of: `poke` stores where it is told, `scale` is a variable. */
extern const char module_text[];
/* What was registered as nvcc's code would: the host's stand-in for the variable. */
extern char symbol_scale;
/* A file with the PTX. */
extern char module_path[];

#endif
