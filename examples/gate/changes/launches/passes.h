/* SPDX-License-Identifier: Apache-2.0
 * How often pipeline.c runs its kernels. */
enum { PASSES = 2 };
