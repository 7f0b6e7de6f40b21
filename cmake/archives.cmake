# SPDX-License-Identifier: Apache-2.0
# INFLIGHT_ARCHIVES: what libinflight needs beside libc, as static libraries, for programs of one file; empty where some are
# missing.
set(INFLIGHT_ARCHIVES "")
foreach(name jansson elf zstd lz4 z)
  find_library(INFLIGHT_ARCHIVE_${name} NAMES lib${name}.a)
  list(APPEND INFLIGHT_ARCHIVES ${INFLIGHT_ARCHIVE_${name}})
endforeach()
if(INFLIGHT_ARCHIVES MATCHES "NOTFOUND")
  message(STATUS "Static libraries are missing (${INFLIGHT_ARCHIVES}): no target inflight-single")
  set(INFLIGHT_ARCHIVES "")
endif()
