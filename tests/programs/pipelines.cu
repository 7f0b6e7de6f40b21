// SPDX-License-Identifier: Apache-2.0
// Work in stages: a warp that produces for another through cuda::barrier, matrix tiles by cp.async
// while others are multiplied, a bulk copy with a barrier that counts bytes, barriers with thread
// counts. The lines below are the test of the PTX beside this file, whose head tools/make-lab
// copies from here.
//
// launch: -k producer_consumer -g 1 -b 64 u32x64=zero
// expect: arg0[0] = 0*32 265280 262000 258720 255440 252160 248880 245600 242320 239040 235760
// expect: arg0[42] = 232480 229200 225920 222640 219360 216080 212800 209520 206240 202960 199680
// expect: arg0[53] = 196400 193120 189840 186560 183280 180000 176720 173440 170160 166880 163600
//
// launch: -k multiply -g 2,2 -b 16,16 f32x1024=iota f32x1024=iota f32x1024=zero
// row 0 and row 31: sums of 32 products, each rounded in order, within 32 roundings of 2^-24
// expect: arg2[0] = ~333312@2e-6 ~333808@2e-6 ~334304@2e-6 ~334800@2e-6 ~335296@2e-6 ~335792@2e-6
// expect: arg2[6] = ~336288@2e-6 ~336784@2e-6 ~337280@2e-6 ~337776@2e-6 ~338272@2e-6 ~338768@2e-6
// expect: arg2[12] = ~339264@2e-6 ~339760@2e-6 ~340256@2e-6 ~340752@2e-6 ~341248@2e-6 ~341744@2e-6
// expect: arg2[18] = ~342240@2e-6 ~342736@2e-6 ~343232@2e-6 ~343728@2e-6 ~344224@2e-6 ~344720@2e-6
// expect: arg2[24] = ~345216@2e-6 ~345712@2e-6 ~346208@2e-6 ~346704@2e-6 ~347200@2e-6 ~347696@2e-6
// expect: arg2[30] = ~348192@2e-6 ~348688@2e-6
// expect: arg2[992] = ~16078336@2e-6 ~16110576@2e-6 ~16142816@2e-6 ~16175056@2e-6 ~16207296@2e-6
// expect: arg2[997] = ~16239536@2e-6 ~16271776@2e-6 ~16304016@2e-6 ~16336256@2e-6 ~16368496@2e-6
// expect: arg2[1002] = ~16400736@2e-6 ~16432976@2e-6 ~16465216@2e-6 ~16497456@2e-6 ~16529696@2e-6
// expect: arg2[1007] = ~16561936@2e-6 ~16594176@2e-6 ~16626416@2e-6 ~16658656@2e-6 ~16690896@2e-6
// expect: arg2[1012] = ~16723136@2e-6 ~16755376@2e-6 ~16787616@2e-6 ~16819856@2e-6 ~16852096@2e-6
// expect: arg2[1017] = ~16884336@2e-6 ~16916576@2e-6 ~16948816@2e-6 ~16981056@2e-6 ~17013296@2e-6
// expect: arg2[1022] = ~17045536@2e-6 ~17077776@2e-6
//
// launch: -k bulk_copy -g 1 -b 64 u32x256=iota u32x256=zero
// expect: arg1[0] = 765 762 759 756 753 750 747 744 741 738 735 732 729 726 723 720 717 714 711 708
// expect: arg1[20] = 705 702 699 696 693 690 687 684 681 678 675 672 669 666 663 660 657 654 651 648
// expect: arg1[40] = 645 642 639 636 633 630 627 624 621 618 615 612 609 606 603 600 597 594 591 588
// expect: arg1[60] = 585 582 579 576 573 570 567 564 561 558 555 552 549 546 543 540 537 534 531 528
// expect: arg1[80] = 525 522 519 516 513 510 507 504 501 498 495 492 489 486 483 480 477 474 471 468
// expect: arg1[100] = 465 462 459 456 453 450 447 444 441 438 435 432 429 426 423 420 417 414 411 408
// expect: arg1[120] = 405 402 399 396 393 390 387 384 381 378 375 372 369 366 363 360 357 354 351 348
// expect: arg1[140] = 345 342 339 336 333 330 327 324 321 318 315 312 309 306 303 300 297 294 291 288
// expect: arg1[160] = 285 282 279 276 273 270 267 264 261 258 255 252 249 246 243 240 237 234 231 228
// expect: arg1[180] = 225 222 219 216 213 210 207 204 201 198 195 192 189 186 183 180 177 174 171 168
// expect: arg1[200] = 165 162 159 156 153 150 147 144 141 138 135 132 129 126 123 120 117 114 111 108
// expect: arg1[220] = 105 102 99 96 93 90 87 84 81 78 75 72 69 66 63 60 57 54 51 48 45 42 39 36 33 30
// expect: arg1[246] = 27 24 21 18 15 12 9 6 3 0
//
// launch: -k counted_barriers -g 1 -b 128 u32x128=zero
// expect: arg0[0] = 224 231 238 245 252 259 266 273 280 287 294 301 308 315 322 329 336 343 350 357
// expect: arg0[20] = 364 371 378 385 392 399 406 413 420 427 434 441 0 7 14 21 28 35 42 49 56 63 70
// expect: arg0[43] = 77 84 91 98 105 112 119 126 133 140 147 154 161 168 175 182 189 196 203 210 217
// expect: arg0[64] = 225 232 239 246 253 260 267 274 281 288 295 302 309 316 323 330 337 344 351 358
// expect: arg0[84] = 365 372 379 386 393 400 407 414 421 428 435 442 1 8 15 22 29 36 43 50 57 64 71
// expect: arg0[107] = 78 85 92 99 106 113 120 127 134 141 148 155 162 169 176 183 190 197 204 211 218

#include <cuda/barrier>

#pragma nv_diag_suppress static_var_with_dynamic_init

using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void producer_consumer(unsigned *out)
{
    __shared__ barrier full[2], empty[2];
    __shared__ unsigned buffer[2][32];
    unsigned lane = threadIdx.x % 32, sum = 0;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            init(&full[i], 64);
            init(&empty[i], 64);
        }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (unsigned i = 0; i < 8; i++) {
            empty[i & 1].arrive_and_wait();
            buffer[i & 1][lane] = i * 100 + lane;
            (void)full[i & 1].arrive();
        }
    } else {
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (unsigned i = 0; i < 8; i++) {
            full[i & 1].arrive_and_wait();
            sum = sum * 3 + buffer[i & 1][31 - lane];
            (void)empty[i & 1].arrive();
        }
    }
    out[threadIdx.x] = sum;
}

static __device__ void copy_async(float *to, const float *from)
{
    unsigned at = unsigned(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}

// c = a b, 32 x 32, by blocks of 16 x 16 threads; the second tiles are under way while the first are used.
extern "C" __global__ void multiply(const float *a, const float *b, float *c)
{
    __shared__ float left[2][16][16], right[2][16][17];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        copy_async(&left[k][y][x], a + row * 32 + k * 16 + x);
        copy_async(&right[k][y][x], b + (k * 16 + y) * 32 + column);
        asm volatile("cp.async.commit_group;");
    }
    for (int k = 0; k < 2; k++) {
        if (k == 0)
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        else
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads();
        for (int i = 0; i < 16; i++)
            sum += left[k][y][i] * right[k][i][x];
    }
    c[row * 32 + column] = sum;
}

extern "C" __global__ void bulk_copy(const unsigned *in, unsigned *out)
{
    __shared__ alignas(128) unsigned stage[256];
    __shared__ barrier arrived;
    if (threadIdx.x == 0) {
        init(&arrived, blockDim.x);
        cuda::device::experimental::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::experimental::cp_async_bulk_global_to_shared(stage, in, sizeof stage,
                                                                   arrived);
        token = cuda::device::barrier_arrive_tx(arrived, 1, sizeof stage);
    } else {
        token = arrived.arrive();
    }
    arrived.wait(std::move(token));
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        out[i] = stage[255 - i] * 3;
}

// Two warps of four meet at barrier 1; the others wait at barrier 2 until those have arrived there.
extern "C" __global__ void counted_barriers(unsigned *out)
{
    __shared__ unsigned value[128];
    unsigned t = threadIdx.x;
    value[t] = t * 7;
    if (t < 64) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        unsigned other = value[(t + 32) & 63];
        asm volatile("bar.sync 1, 64;" ::: "memory");
        value[t] = other + 1;
        asm volatile("bar.arrive 2, 128;" ::: "memory");
        out[t] = other;
    } else {
        asm volatile("bar.sync 2, 128;" ::: "memory");
        out[t] = value[t - 64];
    }
}
