/* SPDX-License-Identifier: Apache-2.0
 * Video instructions: operations on parts of words (PTX ISA 9.0, "Scalar Video Instructions",
 * "SIMD Video Instructions"). code->extra of video; a, b, c, d are slots of 32 bits. */
#ifndef IFL_CODE_VIDEO_H
#define IFL_CODE_VIDEO_H

#include <stdbool.h>
#include <stdint.h>

typedef enum ifl_video_operation {
    IFL_VIDEO_ADD,
    IFL_VIDEO_SUBTRACT,
    IFL_VIDEO_ABS_DIFFERENCE,
    IFL_VIDEO_MIN,
    IFL_VIDEO_MAX,
    IFL_VIDEO_AVERAGE,
    IFL_VIDEO_SHIFT_LEFT,
    IFL_VIDEO_SHIFT_RIGHT,
    IFL_VIDEO_MULTIPLY_ADD,
    IFL_VIDEO_SET
} ifl_video_operation;

enum { IFL_VIDEO_PARTS = 4 };

/* Which bits of a word: all of them (32), a half or a byte. */
typedef struct ifl_video_part {
    uint8_t bits, index;
} ifl_video_part;

typedef struct ifl_video_op {
    uint8_t operation; /* ifl_video_operation */
    uint8_t parts;     /* results side by side in d: 1, 2, 4 */
    bool is_signed_d, is_signed_a, is_signed_b;
    bool saturates, wraps, adds_one;
    bool negates_a, negates_b, negates_c;
    uint8_t secondary;                                     /* IFL_OPERATION_*: with c; 0: none */
    uint8_t compare;                                       /* IFL_COMPARE_* */
    uint8_t shift;                                         /* of a product's sum: 0, 7, 15 */
    ifl_video_part a[IFL_VIDEO_PARTS], b[IFL_VIDEO_PARTS]; /* of several parts: of {b, a} */
    ifl_video_part d;                                      /* of one part: where in c it goes */
    uint8_t mask; /* of several parts: those that are written, the others are c's */
} ifl_video_op;

#endif
