/* SPDX-License-Identifier: Apache-2.0
 * The modifiers of an instruction by their words: PTX writes them behind the name, machine code has
 * fields for most. 0 always means "not written". */
#ifndef IFL_CODE_MODIFIERS_H
#define IFL_CODE_MODIFIERS_H

#include "code/value.h"

#include <stdbool.h>
#include <stdint.h>

enum {
    IFL_ROUND_RN = 1,
    IFL_ROUND_RZ,
    IFL_ROUND_RM,
    IFL_ROUND_RP,
    IFL_ROUND_RNA,
    IFL_ROUND_RNI,
    IFL_ROUND_RZI,
    IFL_ROUND_RMI,
    IFL_ROUND_RPI
};
enum {
    IFL_COMPARE_EQ = 1,
    IFL_COMPARE_NE,
    IFL_COMPARE_LT,
    IFL_COMPARE_LE,
    IFL_COMPARE_GT,
    IFL_COMPARE_GE,
    IFL_COMPARE_EQU,
    IFL_COMPARE_NEU,
    IFL_COMPARE_LTU,
    IFL_COMPARE_LEU,
    IFL_COMPARE_GTU,
    IFL_COMPARE_GEU,
    IFL_COMPARE_NUM,
    IFL_COMPARE_NAN
};
enum {
    IFL_MODE_UP = 1,
    IFL_MODE_DOWN,
    IFL_MODE_BFLY,
    IFL_MODE_IDX,
    IFL_MODE_ALL,
    IFL_MODE_ANY,
    IFL_MODE_BALLOT,
    IFL_MODE_UNI,
    IFL_MODE_F4E,
    IFL_MODE_B4E,
    IFL_MODE_RC8,
    IFL_MODE_ECL,
    IFL_MODE_ECR,
    IFL_MODE_RC16,
    IFL_MODE_LEFT,
    IFL_MODE_RIGHT,
    IFL_MODE_FINITE,
    IFL_MODE_INFINITE,
    IFL_MODE_NUMBER,
    IFL_MODE_NOTANUMBER,
    IFL_MODE_NORMAL,
    IFL_MODE_SUBNORMAL,
    IFL_MODE_WARPS_02_13,
    IFL_MODE_WARPS_01_23,
    IFL_MODE_WARPS_ALL,
    IFL_MODE_ARRIVE_ONE,
    IFL_MODE_ACC_F32,
    IFL_MODE_ACC_F16,
    IFL_MODE_SHR7,
    IFL_MODE_SHR15
};
enum { IFL_WRAP_CLAMP = 1, IFL_WRAP_WRAP };
enum { IFL_HALF_LO = 1, IFL_HALF_HI, IFL_HALF_WIDE };
enum {
    IFL_ORDER_WEAK = 1,
    IFL_ORDER_VOLATILE,
    IFL_ORDER_RELAXED,
    IFL_ORDER_ACQUIRE,
    IFL_ORDER_RELEASE,
    IFL_ORDER_ACQ_REL,
    IFL_ORDER_SC,
    IFL_ORDER_MMIO
};
enum { IFL_SCOPE_CTA = 1, IFL_SCOPE_CLUSTER, IFL_SCOPE_GPU, IFL_SCOPE_SYS };
enum {
    IFL_CACHE_CA = 1,
    IFL_CACHE_CG,
    IFL_CACHE_CS,
    IFL_CACHE_LU,
    IFL_CACHE_CV,
    IFL_CACHE_WB,
    IFL_CACHE_WT
};
enum { IFL_LEVEL_L1 = 1, IFL_LEVEL_L2 };
enum {
    IFL_EVICT_NORMAL = 1,
    IFL_EVICT_FIRST,
    IFL_EVICT_LAST,
    IFL_EVICT_UNCHANGED,
    IFL_EVICT_NO_ALLOCATE
};
enum { IFL_LAYOUT_ROW = 1, IFL_LAYOUT_COLUMN };
enum {
    IFL_PART_32X32 = 1,
    IFL_PART_16X64,
    IFL_PART_16X128,
    IFL_PART_16X256,
    IFL_PART_16X32X2,
    IFL_PART_128X256,
    IFL_PART_4X256,
    IFL_PART_128X128,
    IFL_PART_64X128,
    IFL_PART_32X128
};

enum { IFL_REGION_GATHER4 = 1, IFL_REGION_SCATTER4, IFL_REGION_IMAGE, IFL_REGION_WIDE };
enum { IFL_PACK_16 = 1, IFL_PACK_UNPACK_16, IFL_PACK_BYTES };
enum {
    IFL_KIND_F16 = 1,
    IFL_KIND_TF32,
    IFL_KIND_F8F6F4,
    IFL_KIND_I8,
    IFL_KIND_MXF8F6F4,
    IFL_KIND_MXF4,
    IFL_KIND_MXF4NVF4
};
enum { IFL_SCALE_UE8M0 = 1, IFL_SCALE_UE4M3, IFL_SCALE_PAIR };
enum { IFL_COLLECTOR_ANY = 1, IFL_COLLECTOR_SHIFT };
enum {
    IFL_GEOMETRY_1D = 1,
    IFL_GEOMETRY_2D,
    IFL_GEOMETRY_3D,
    IFL_GEOMETRY_1D_ARRAY,
    IFL_GEOMETRY_2D_ARRAY,
    IFL_GEOMETRY_CUBE,
    IFL_GEOMETRY_CUBE_ARRAY,
    IFL_GEOMETRY_2D_SAMPLES,
    IFL_GEOMETRY_2D_ARRAY_SAMPLES
};
enum { IFL_DETAIL_BASE = 1, IFL_DETAIL_LEVEL, IFL_DETAIL_GRADIENT };
enum { IFL_OUTSIDE_TRAPS = 1, IFL_OUTSIDE_CLAMPS, IFL_OUTSIDE_IS_ZERO };
enum {
    IFL_QUERY_WIDTH = 1,
    IFL_QUERY_HEIGHT,
    IFL_QUERY_DEPTH,
    IFL_QUERY_CHANNEL_DATA_TYPE,
    IFL_QUERY_CHANNEL_ORDER,
    IFL_QUERY_NORMALIZED_COORDS,
    IFL_QUERY_ARRAY_SIZE,
    IFL_QUERY_NUM_MIPMAP_LEVELS,
    IFL_QUERY_NUM_SAMPLES,
    IFL_QUERY_MEMORY_LAYOUT,
    IFL_QUERY_FORCE_UNNORMALIZED_COORDS,
    IFL_QUERY_FILTER_MODE,
    IFL_QUERY_ADDR_MODE_0,
    IFL_QUERY_ADDR_MODE_1,
    IFL_QUERY_ADDR_MODE_2
};
enum {
    IFL_FLAG_FTZ = 1 << 0,
    IFL_FLAG_SAT = 1 << 1,
    IFL_FLAG_SATFINITE = 1 << 2,
    IFL_FLAG_RELU = 1 << 3,
    IFL_FLAG_APPROX = 1 << 4,
    IFL_FLAG_FULL = 1 << 5,
    IFL_FLAG_NAN = 1 << 6,
    IFL_FLAG_XORSIGN = 1 << 7,
    IFL_FLAG_ABS = 1 << 8,
    IFL_FLAG_CC = 1 << 9,
    IFL_FLAG_SHIFTAMT = 1 << 10,
    IFL_FLAG_NOFTZ = 1 << 11,
    IFL_FLAG_NC = 1 << 12,
    IFL_FLAG_TO = 1 << 13,
    IFL_FLAG_UNI = 1 << 14,
    IFL_FLAG_ALIGNED = 1 << 15,
    IFL_FLAG_SYNC = 1 << 16,
    IFL_FLAG_NOINC = 1 << 17,
    IFL_FLAG_NOCOMPLETE = 1 << 18,
    IFL_FLAG_PARITY = 1 << 19,
    IFL_FLAG_EXPECT_TX = 1 << 20,
    IFL_FLAG_READ = 1 << 21,
    IFL_FLAG_CACHE_HINT = 1 << 22,
    IFL_FLAG_MBARRIER = 1 << 23,
    IFL_FLAG_BULK_GROUP = 1 << 24,
    IFL_FLAG_SHARED_CLUSTER = 1 << 25, /* the (first) space was written .shared::cluster */
    IFL_FLAG_TRANS = 1 << 26,
    IFL_FLAG_SPARSE = 1 << 27,
    IFL_FLAG_SPARSE_ORDERED = 1 << 28,
    IFL_FLAG_MULTICAST = 1 << 29,
    IFL_FLAG_TILE = 1 << 30,
    IFL_FLAG_OOB = INT32_MIN /* the last of 32 bits */
};

typedef struct ifl_modifiers {
    uint32_t flags;    /* IFL_FLAG_* */
    uint16_t prefetch; /* bytes to bring into the L2, 0 none */
    uint8_t rounding;  /* IFL_ROUND_* */
    uint8_t compare;   /* IFL_COMPARE_* */
    uint8_t combine;   /* IFL_COMBINE_* */
    uint8_t operation; /* IFL_OPERATION_* */
    uint8_t mode;      /* IFL_MODE_* */
    uint8_t wrap;      /* IFL_WRAP_* */
    uint8_t half;      /* IFL_HALF_* */
    uint8_t order;     /* IFL_ORDER_* */
    uint8_t scope;     /* IFL_SCOPE_* */
    uint8_t cache;     /* IFL_CACHE_* */
    uint8_t vector;    /* elements of a vector access: 2, 4, 8; 0 means 1 */
    uint8_t level;     /* IFL_LEVEL_* */
    uint8_t eviction;  /* L1: IFL_EVICT_* */
    uint8_t eviction2; /* L2: IFL_EVICT_* */
    uint16_t shape[3]; /* .m16n8k16: rows, columns, depth; 0: not written */
    uint8_t layout;    /* IFL_LAYOUT_*: of a matrix, the first of two */
    uint8_t layout2;
    uint8_t matrices;   /* .x4 */
    uint8_t group;      /* .cta_group::2 */
    uint8_t part;       /* IFL_PART_*: of tensor memory */
    uint8_t repeat;     /* .x128: of the part */
    uint8_t pack;       /* IFL_PACK_* */
    uint8_t kind;       /* IFL_KIND_*: of a product on tensor memory */
    uint8_t scaling;    /* 1: .block_scale */
    uint8_t scales;     /* of a line; 16, 32: one for so many elements */
    uint8_t collector;  /* what is kept of a or b; 0 nothing is written */
    uint8_t format;     /* bits of what is copied, 4 or 6 */
    uint8_t geometry;   /* IFL_GEOMETRY_* */
    uint8_t detail;     /* IFL_DETAIL_*: which level of a texture */
    uint8_t channels;   /* of a texture's result, a surface's element: 2, 4; 0 means 1 */
    uint8_t component;  /* 1 + the channel of a gather */
    uint8_t outside;    /* IFL_OUTSIDE_*: of a surface's coordinates */
    uint8_t query;      /* IFL_QUERY_* */
    uint8_t space;      /* ifl_space: of the access; the first of two */
    uint8_t space2;     /* ifl_space: the second (cp.async.ca.shared.global: the source) */
    bool space_written; /* false: `space` is GENERIC because none was written */
    uint8_t increment;  /* .po: one is added */
    uint8_t object;     /* .b1024: the description of a tensor */
    uint8_t region;     /* IFL_REGION_*: what of a tensor is copied, if not a box */
    uint8_t scale_type; /* IFL_SCALE_* */
    uint8_t receivers;  /* .multicast::cluster::all */
} ifl_modifiers;

#endif
