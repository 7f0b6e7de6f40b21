/* SPDX-License-Identifier: Apache-2.0
 * What the files rt_*.c share: the way a call of the CUDA runtime is served. */
#ifndef IFL_STANDIN_SERVED_H
#define IFL_STANDIN_SERVED_H

#include "standin/capture_rule.h"
#include "standin/later.h"
#include "standin/op.h"
#include "standin/stream.h"

/* A call that needs the GPU: SERVE(body) runs the body with `session` at hand and the lock held,
 * and notes its code. */
#define SERVE(...) SERVE_IF(ifl_cudaSuccess, __VA_ARGS__)

/* The same where no capture forbids a call that is not safe in one. */
#define SERVE_UNSAFE(...) SERVE_IF(ifl_capture_allow_unsafe(), __VA_ARGS__)

#define SERVE_IF(allowance, ...)                                                                   \
    do {                                                                                           \
        ifl_session *session = ifl_state_enter();                                                  \
        if (!session)                                                                              \
            return ifl_state_end(ifl_state_absence());                                             \
        (void)session;                                                                             \
        ifl_cuda_error code = ifl_state_broken();                                                  \
        if (code == ifl_cudaSuccess)                                                               \
            code = (allowance);                                                                    \
        if (code == ifl_cudaSuccess)                                                               \
            code = (__VA_ARGS__);                                                                  \
        ifl_state_leave();                                                                         \
        return ifl_state_end(code);                                                                \
    } while (0)

/* The same function under another name: of another version. */
#define ALSO(other, name)                                                                          \
    extern __typeof__(name) other __attribute__((alias(#name), visibility("default")))

/* The same function under another name, by which stream 0 is the thread's own: it is noted, and all
 * arguments stay in their registers (System V ABI, x86-64; none is a float). */
#define ALSO_OF_THREAD(other, name)                                                                \
    extern __typeof__(name) other##_served __attribute__((alias(#name), visibility("hidden")));    \
    extern __typeof__(name) other __attribute__((visibility("default")));                          \
    __asm__(".pushsection .text\n.globl " #other "\n.type " #other ", @function\n" #other ":\n"    \
            "push %rdi\npush %rsi\npush %rdx\npush %rcx\npush %r8\npush %r9\npush %rax\n"          \
            "call ifl_state_default_is_own@PLT\n"                                                  \
            "pop %rax\npop %r9\npop %r8\npop %rcx\npop %rdx\npop %rsi\npop %rdi\n"                 \
            "jmp " #other "_served\n.size " #other ", .-" #other "\n.popsection")

/* Gives the operation to a stream. */
static inline ifl_cuda_error ifl_serve_op(ifl_session *session, void *stream, ifl_op op)
{
    return ifl_stream_give(session, stream, &op);
}

/* What a call gives that has waited: a kernel may have faulted meanwhile. */
static inline ifl_cuda_error ifl_wait_code(ifl_cuda_error code)
{
    return ifl_state_broken() == ifl_cudaSuccess ? code : ifl_state_broken();
}

#endif
