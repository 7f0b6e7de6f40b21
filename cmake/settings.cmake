# SPDX-License-Identifier: Apache-2.0
# Compiler settings that every target shares.
include(GNUInstallDirs)
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG") # the inner loop adds -O3 for itself
# `make demo`: built in a third of the time. What runs for each access is optimised all the same (INFLIGHT_HOT in library.cmake).
set(CMAKE_C_FLAGS_DEMO "-O0 -fno-asynchronous-unwind-tables -DNDEBUG")

add_library(inflight_settings INTERFACE)
target_include_directories(inflight_settings INTERFACE ${PROJECT_SOURCE_DIR}/include
                           ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(inflight_settings INTERFACE _GNU_SOURCE IFL_VERSION="${PROJECT_VERSION}")
# The engine's results are those of PTX, operation by operation: no contraction, no reassociation.
target_compile_options(inflight_settings INTERFACE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla
                       -ffp-contract=off -fno-math-errno $<$<BOOL:${INFLIGHT_WERROR}>:-Werror>)
if(INFLIGHT_SANITIZE)
  target_compile_options(inflight_settings INTERFACE -fsanitize=address,undefined
                         -fno-sanitize-recover=all
                         -fno-omit-frame-pointer)
  target_link_options(inflight_settings INTERFACE -fsanitize=address,undefined)
  # For what takes no time there: it is compiled in a third of that which -O1 takes, of which most goes into the checks.
  set(INFLIGHT_UNOPTIMISED -O0)
endif()
