# SPDX-License-Identifier: Apache-2.0
# The libraries that `inflight run` puts before a program's own: libcudart.so of CUDA 11, 12 and 13, each the same source
# compiled for that version, the driver's libcuda.so.1, NVML's libnvidia-ml.so.1 and CUPTI's libcupti.so of 12 and 13. They show nothing but CUDA's names. What
# they share, the GPU and its engine, is libinflight_standin.so, so that a program that calls both has one GPU.
set(standin_folder ${CMAKE_CURRENT_BINARY_DIR}/standin)
file(GLOB standin_core CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standin/*.c)
file(GLOB standin_runtime CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standin/rt_*.c)
file(GLOB standin_driver CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standin/drv_*.c)
# Bytes alone, no state to share.
list(APPEND standin_driver ${PROJECT_SOURCE_DIR}/src/code/tensor_map.c ${PROJECT_SOURCE_DIR}/src/code/texel_format.c)
set(standin_nvml ${PROJECT_SOURCE_DIR}/src/standin/nvml.c)
set(standin_cupti ${PROJECT_SOURCE_DIR}/src/standin/cupti.c)
list(REMOVE_ITEM standin_core ${standin_runtime} ${standin_driver} ${standin_nvml} ${standin_cupti})

# The source lines of the programs that run.
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw)

set(script ${CMAKE_CURRENT_BINARY_DIR}/inflight_standin.map)
file(WRITE ${script} "{ global: ifl_*; local: *; };\n")
add_library(inflight_standin SHARED ${standin_core} ${INFLIGHT_OBJECTS} ${api})
target_compile_options(inflight_standin PRIVATE -fvisibility=default ${INFLIGHT_UNOPTIMISED})
target_link_libraries(inflight_standin PRIVATE inflight_settings ${INFLIGHT_DEPENDENCIES} PkgConfig::LIBDW)
target_link_options(inflight_standin PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${script} -Wl,-Bsymbolic)
set_target_properties(inflight_standin PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${standin_folder} LINK_DEPENDS ${script})

# standin_library(TARGET NAME SUFFIX MAP SOURCE...): libNAME SUFFIX, which shows what MAP says and finds the engine beside
# itself, wherever both lie.
function(standin_library target name suffix map)
  set(script ${CMAKE_CURRENT_BINARY_DIR}/lib${name}${suffix}.map)
  file(WRITE ${script} "${map}\n")
  add_library(${target} SHARED ${ARGN})
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes ${INFLIGHT_UNOPTIMISED})
  target_link_libraries(${target} PRIVATE inflight_standin inflight_settings m ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,-Bsymbolic -Wl,-soname,lib${name}${suffix})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} SUFFIX ${suffix} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${standin_folder} LINK_DEPENDS ${script}
                        BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
endfunction()

set(INFLIGHT_CUDART_VERSIONS 11.0 12 13)
set(INFLIGHT_STANDIN_TARGETS inflight_standin cuda_driver nvidia_ml)
foreach(version ${INFLIGHT_CUDART_VERSIONS})
  string(REGEX REPLACE "\\..*" "" major ${version})
  standin_library(cudart_${major} cudart .so.${version}
                  "libcudart.so.${version} { global: cuda*; __cuda*; local: *; };" ${standin_runtime})
  target_compile_definitions(cudart_${major} PRIVATE IFL_CUDART=${major})
  list(APPEND INFLIGHT_STANDIN_TARGETS cudart_${major})
endforeach()

# Of profilers.
foreach(version 12 13)
  standin_library(cupti_${version} cupti .so.${version} "libcupti.so.${version} { global: cupti*; local: *; };" ${standin_cupti})
  target_compile_definitions(cupti_${version} PRIVATE IFL_CUPTI=${version})
  list(APPEND INFLIGHT_STANDIN_TARGETS cupti_${version})
endforeach()

# What the dynamic linker asks about every object, which it loads apart from the program's libraries.
file(GLOB standin_audit CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/audit/*.c)
set(script ${CMAKE_CURRENT_BINARY_DIR}/inflight_audit.map)
file(WRITE ${script} "{ global: la_*; local: *; };\n")
add_library(inflight_audit SHARED ${standin_audit})
target_include_directories(inflight_audit PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(inflight_audit PRIVATE _GNU_SOURCE)
# Without the sanitizers, which no second namespace can hold.
target_compile_options(inflight_audit PRIVATE -Wall -Wextra -Wshadow -Wstrict-prototypes -Wvla -fvisibility=default
                       $<$<BOOL:${INFLIGHT_WERROR}>:-Werror>)
target_link_libraries(inflight_audit PRIVATE ${CMAKE_DL_LIBS})
target_link_options(inflight_audit PRIVATE -Wl,--version-script=${script})
set_target_properties(inflight_audit PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${standin_folder} LINK_DEPENDS ${script})
list(APPEND INFLIGHT_STANDIN_TARGETS inflight_audit)

# The driver's calls are served by the newest runtime's, which it does not show: the same objects.
standin_library(cuda_driver cuda .so.1 "{ global: cu[A-Z]*; local: *; };" $<TARGET_OBJECTS:cudart_13> ${standin_driver})

# What a program asks of the GPU beside CUDA.
standin_library(nvidia_ml nvidia-ml .so.1 "{ global: nvml*; local: *; };" ${standin_nvml})
