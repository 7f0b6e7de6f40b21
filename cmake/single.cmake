# SPDX-License-Identifier: Apache-2.0
# inflight-single: the program as one file that needs no library but libc and libm, for those who just want to copy it. libc
# stays shared because compilers and drivers of GPUs are opened at run time, which a program without a dynamic linker
# cannot do. The libraries of `inflight run` are not in it (docs/install.md).
# Of clang's OpenMP there is no static library.
if(NOT TARGET inflight OR INFLIGHT_SANITIZE OR NOT CMAKE_C_COMPILER_ID STREQUAL "GNU")
  return()
endif()
include(${CMAKE_CURRENT_LIST_DIR}/archives.cmake)
if(NOT INFLIGHT_ARCHIVES)
  return()
endif()

add_executable(inflight-single ${program_objects})
add_dependencies(inflight-single inflight_check inflight_lab inflight_static)
target_link_libraries(inflight-single PRIVATE $<TARGET_FILE:inflight_check> $<TARGET_FILE:inflight_lab>
                      $<TARGET_FILE:inflight_static> ${INFLIGHT_ARCHIVES} inflight::iberty m ${CMAKE_DL_LIBS} Threads::Threads
                      $<$<BOOL:${OpenMP_C_FOUND}>:-l:libgomp.a>)
target_link_options(inflight-single PRIVATE -static-libgcc -s)
