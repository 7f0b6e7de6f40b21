/* SPDX-License-Identifier: Apache-2.0
 * How handlers begin and pass on. Compiled once for each vector width (IFL_WIDTH).
 *
 * Where the compiler turns a call in tail position into a jump, a handler jumps straight to the
 * next one and a whole basic block runs without coming back. Elsewhere (no optimisation,
 * sanitizers) it returns the next code and the loop in warp.c goes on. clang does as it is told;
 * gcc jumps from -O2 on, and cmake/tail_calls.cmake finds out (IFL_JUMPS). */
#ifndef IFL_EXEC_WIDTH_DISPATCH_H
#define IFL_EXEC_WIDTH_DISPATCH_H

#include "exec/warp.h"

#include <string.h>

#define IFL_PASTE2(a, b) a##b
#define IFL_PASTE(a, b) IFL_PASTE2(a, b)
#define IFL_TEXT2(a) #a
#define IFL_TEXT(a) IFL_TEXT2(a)

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define IFL_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define IFL_SANITIZED 1
#endif

#if defined(__clang__)
#define IFL_TAIL __attribute__((musttail))
#else
#define IFL_TAIL
#endif

#if !defined(IFL_JUMPS) && defined(__OPTIMIZE__) && !defined(IFL_SANITIZED)
#if !defined(__clang__)
#error                                                                                             \
    "Are calls in tail position jumps (gcc -O1, -Og: no)? Say IFL_JUMPS=1, or 0: a loop calls each"
#endif
#define IFL_JUMPS 1
#endif

#if IFL_JUMPS
#define IFL_GO(to) IFL_TAIL return (to)->run((to), warp, frame, active)
#define IFL_INSTEAD(handler) IFL_TAIL return handler(code, warp, frame, active)
#else
#define IFL_GO(to) return ((void)warp, (void)frame, (void)active, (to))
#define IFL_INSTEAD(handler) return handler(code, warp, frame, active)
#endif
#define IFL_NEXT IFL_GO(code + 1)
#define IFL_STOP(why, at)                                                                          \
    do {                                                                                           \
        warp->reason = (why);                                                                      \
        return (at);                                                                               \
    } while (0)

#define IFL_HANDLER(name)                                                                          \
    static const ifl_code *name(const ifl_code *code, ifl_warp *warp, char *frame, uint32_t active)

/* The same of a row of operation.def: handlers.c lists them by their names. */
#define IFL_OPERATION_NAME(name) IFL_PASTE(ifl_run_##name##_, IFL_WIDTH)
#define IFL_OPERATION(name)                                                                        \
    const ifl_code *IFL_OPERATION_NAME(name)(const ifl_code *code, ifl_warp *warp, char *frame,    \
                                             uint32_t active)
#define HANDLER(name) extern ifl_handler IFL_OPERATION_NAME(name);
#include "code/operation.def"

/* The lanes that execute: those of the fragment whose guard holds. */
#define IFL_EXECUTING (active & (ifl_predicate(frame, code->guard) ^ code->guard_flip))
#define IFL_ALL_LANES UINT32_C(0xffffffff)

#define IFL_SIMD _Pragma("omp simd")
#define IFL_EACH_LANE(i) for (int i = 0; i < IFL_WARP_LANES; i++)

#define IFL_INLINE static inline __attribute__((always_inline))

/* Sets the bits of `mask` in a predicate to those of `bits`. */
IFL_INLINE void ifl_set_predicate(char *frame, uint32_t at, uint32_t mask, uint32_t bits)
{
    uint32_t *p = (uint32_t *)(void *)(frame + at);
    *p = (*p & ~mask) | (bits & mask);
}

/* Do all lanes execute, in a loop that need not ask which? A build that is to take little time
 * (library.cmake) has no such loop beside that for some lanes, which gives the same. */
#ifdef IFL_ONE_LOOP
#define IFL_ALL_EXECUTE(mask) false
#else
#define IFL_ALL_EXECUTE(mask) mask == IFL_ALL_LANES
#endif

#endif
