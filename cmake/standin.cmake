# SPDX-License-Identifier: Apache-2.0
# The libraries that `inflight run` puts before a program's own: libcudart.so of CUDA 11, 12 and 13. Each is the same
# source compiled for that version, with the whole engine inside, and shows nothing but CUDA's names.
file(GLOB standin_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/standin/*.c)
set(INFLIGHT_CUDART_VERSIONS 11.0 12 13)
foreach(version ${INFLIGHT_CUDART_VERSIONS})
  string(REGEX REPLACE "\\..*" "" major ${version})
  set(target cudart_${major})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/libcudart.so.${version}.map)
  file(WRITE ${script} "libcudart.so.${version} { global: cuda*; __cuda*; local: *; };\n")
  add_library(${target} SHARED ${standin_sources} ${INFLIGHT_OBJECTS} ${api})
  target_compile_definitions(${target} PRIVATE IFL_CUDART=${major})
  target_compile_options(${target} PRIVATE -Wno-missing-prototypes)
  target_link_libraries(${target} PRIVATE inflight_settings ${INFLIGHT_DEPENDENCIES})
  target_link_options(${target} PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${script} -Wl,-Bsymbolic)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cudart SUFFIX .so.${version} NO_SONAME ON
                        LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/standin)
  target_link_options(${target} PRIVATE -Wl,-soname,libcudart.so.${version})
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${script})
endforeach()
