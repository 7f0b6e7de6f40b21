/* SPDX-License-Identifier: Apache-2.0
 * Everything is hidden unless it says otherwise. The libraries that stand in for CUDA's share one
 * engine, which lies in a library of its own: what they call of it by name, beside what is public,
 * is marked here. */
#ifndef IFL_BASE_SHARED_H
#define IFL_BASE_SHARED_H

#define IFL_SHARED __attribute__((visibility("default")))

#endif
