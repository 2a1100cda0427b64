// SPDX-FileCopyrightText: The Clearance authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What probe.cl is written in, for OpenCL C; shim.h says the same for C++. LANES is given when the
// program is built.
#define GROUP (PROBE_BLOCK / LANES)
#define GLOBAL global
#define CONSTANT constant
#define LOCAL local
#define KERNEL kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void

// What all items of a group do between two barriers.
#define EACH_ITEM(item) \
  {                     \
    const uint item = (uint)get_local_id(0);
#define END_ITEMS \
  }               \
  barrier(CLK_LOCAL_MEM_FENCE);
#define GROUP_ID ((uint)get_group_id(0))

#define make_float3(x, y, z) ((float3)(x, y, z))
#define INFINITE_BITS 0x7f800000u
// Of memory that other groups may change at the same time.
#define PEEK(p) (*(p))

// LANES numbers as one.
#if LANES == 1
typedef float floatN;
#define LOAD_LANES(i, p) (p)[i]
#define STORE_LANES(v, i, p) (p)[i] = (v)
#define ANY_LANE(condition) (condition)
#define LANE(v, lane) (v)
#else
#define PASTE(a, b) a##b
#define WITH_LANES(name, lanes) PASTE(name, lanes)
typedef WITH_LANES(float, LANES) floatN;
#define LOAD_LANES(i, p) WITH_LANES(vload, LANES)(i, p)
#define STORE_LANES(v, i, p) WITH_LANES(vstore, LANES)(v, i, p)
#define ANY_LANE(condition) any(condition)
#define LANE(v, lane) ((const float*)&(v))[lane]
#endif
#define CLAMP_LANES(v) clamp(v, 0.0f, 1.0f)
