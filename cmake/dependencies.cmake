# SPDX-License-Identifier: Apache-2.0
# What libinflight itself needs. Used by the build and, installed, by those who link the static
# library.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LZ4 REQUIRED IMPORTED_TARGET liblz4)
find_library(IBERTY_LIBRARY iberty REQUIRED)
if(NOT TARGET inflight::iberty)
  add_library(inflight::iberty UNKNOWN IMPORTED)
  set_target_properties(inflight::iberty PROPERTIES IMPORTED_LOCATION "${IBERTY_LIBRARY}")
endif()
