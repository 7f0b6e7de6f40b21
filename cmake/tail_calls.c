/* SPDX-License-Identifier: Apache-2.0
 * Does this compiler, with these flags, make jumps of calls in tail position? tail_calls.cmake runs it. The exit status says: 0
 * yes, 1 no, 2 nothing is optimised. Frames are compared, not left to overflow the stack, which may have no limit. */
#include <stdint.h>

enum { CALLS = 1000, A_FRAME = 64 };

struct code;
typedef const struct code *handler(const struct code *, char *, unsigned);
struct code {
    handler *run;
};

static uintptr_t first, last;

static uintptr_t frame_now(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

/* Called through a pointer that no compiler sees through, as the engine's handlers are (src/exec/width/dispatch.h). */
static const struct code *step(const struct code *code, char *frame, unsigned active)
{
    const uintptr_t at = frame_now();
    if (!first)
        first = at;
    last = at;
    return code[1].run(code + 1, frame, active);
}

static const struct code *stop(const struct code *code, char *frame, unsigned active)
{
    (void)frame, (void)active;
    return code;
}

int main(void)
{
#ifdef __OPTIMIZE__
    static struct code program[CALLS + 1];
    handler *volatile each = step, *volatile end = stop;
    for (int i = 0; i < CALLS; i++)
        program[i].run = each;
    program[CALLS].run = end;
    program[0].run(program, 0, 0);
    return (first > last ? first - last : last - first) > A_FRAME;
#else
    return 2;
#endif
}
