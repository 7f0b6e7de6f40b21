/* SPDX-License-Identifier: Apache-2.0
 * Where the registers of tcgen05.ld and .st lie (PTX ISA 9.0, "Matrix fragments for shape ..."). */
#include "code/tensor.h"

enum { HALF_WARP = 16, HALF_ROWS = 8, WORDS_64 = 2, WORDS_128 = 4, WORDS_256 = 8 };

unsigned ifl_tensor_shape_registers(ifl_tensor_shape shape)
{
    return shape == IFL_TENSOR_16X128 ? 2 : shape == IFL_TENSOR_16X256 ? 4 : 1;
}

ifl_tensor_place ifl_tensor_place_of(ifl_tensor_shape shape, unsigned lane, unsigned reg)
{
    const unsigned row = lane / 4;
    ifl_tensor_place at = {(uint8_t)lane, (uint16_t)reg};
    switch (shape) {
    case IFL_TENSOR_16X64:
        at.lane = (uint8_t)(row + HALF_ROWS * (lane & 1));
        at.column = (uint16_t)((lane >> 1 & 1) + WORDS_64 * reg);
        break;
    case IFL_TENSOR_16X128:
        at.lane = (uint8_t)(row + HALF_ROWS * (reg & 1));
        at.column = (uint16_t)(lane % 4 + WORDS_128 * (reg / 2));
        break;
    case IFL_TENSOR_16X256:
        at.lane = (uint8_t)(row + HALF_ROWS * (reg >> 1 & 1));
        at.column = (uint16_t)(2 * (lane % 4) + (reg & 1) + WORDS_256 * (reg / 4));
        break;
    case IFL_TENSOR_16X32X2:
    case IFL_TENSOR_16X32_LOW:
    case IFL_TENSOR_16X32_HIGH:
        at.lane = (uint8_t)(lane % HALF_WARP);
        break;
    default:
        break;
    }
    return at;
}
