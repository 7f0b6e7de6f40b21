# SPDX-License-Identifier: Apache-2.0
# One object library a folder of src/, joined into libinflight; the program on top of it.
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
set(INFLIGHT_DEPENDENCIES PkgConfig::JANSSON PkgConfig::LIBELF
    PkgConfig::ZSTD PkgConfig::LZ4 inflight::iberty Threads::Threads m ${CMAKE_DL_LIBS})

# Which edges were taken. Each comparison, too, would take half of the time and find little: texts are compared by calls, which
# the fuzzer sees, and the seeds have the numbers that files begin with. It uses indirect calls only with -use_value_profile.
set(INFLIGHT_COVERAGE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp,indirect-calls)

set(INFLIGHT_OBJECTS)
# All folders (docs/architecture.md has their table) but those that are no part of the library: below, and in standin.cmake.
file(GLOB INFLIGHT_FOLDERS RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/src/*)
list(FILTER INFLIGHT_FOLDERS EXCLUDE REGEX "[.]|^(lab|check|standin|audit)$")
# What runs once a program, not once a launch: less optimised, it is compiled in two thirds of the time and no slower to see; with the
# sanitizers' checks, not optimised, in a third.
set(INFLIGHT_COLD $<$<CONFIG:Release,RelWithDebInfo>:-O1> ${INFLIGHT_UNOPTIMISED})
set(INFLIGHT_COLD_FOLDERS compile device gpu advice outcome report)
# What runs for each access of a launch: in a demo this alone is optimised.
set(INFLIGHT_HOT $<$<CONFIG:Demo>:-Og>)
set(INFLIGHT_HOT_FOLDERS exec count cache time)

foreach(folder ${INFLIGHT_FOLDERS})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
  list(FILTER sources EXCLUDE REGEX "/exec/widths[.]c$") # compiled for each list of widths, below
  if(sources)
    add_library(ifl_${folder} OBJECT ${sources})
    target_link_libraries(ifl_${folder} PUBLIC inflight_settings PRIVATE ${INFLIGHT_DEPENDENCIES})
    if(INFLIGHT_FUZZ) # readers tell the fuzzer which way they went; stamped loops need not
      target_compile_options(ifl_${folder} PRIVATE ${INFLIGHT_COVERAGE})
    endif()
    if(folder IN_LIST INFLIGHT_COLD_FOLDERS)
      target_compile_options(ifl_${folder} PRIVATE ${INFLIGHT_COLD})
    endif()
    if(folder IN_LIST INFLIGHT_HOT_FOLDERS)
      target_compile_options(ifl_${folder} PRIVATE "${INFLIGHT_HOT}")
    endif()
    list(APPEND INFLIGHT_OBJECTS $<TARGET_OBJECTS:ifl_${folder}>)
  endif()
endforeach()

# Registers of a frame are read as integers and as floats.
target_compile_options(ifl_exec PRIVATE -fno-strict-aliasing -fopenmp-simd $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)

# But where blocks go is asked for each.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/device/block_places.c PROPERTIES COMPILE_OPTIONS -O1)

# Random fills are loops over millions of elements.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/session/fill.c PROPERTIES COMPILE_OPTIONS
                            "$<$<CONFIG:Release,RelWithDebInfo>:-O3>")

# The texts of devices/ become part of the library.
file(GLOB device_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/devices/*)
set(device_texts ${CMAKE_CURRENT_BINARY_DIR}/device_texts.c)
add_custom_command(OUTPUT ${device_texts}
                   COMMAND ${CMAKE_COMMAND} -DOUT=${device_texts} -DFOLDER=${PROJECT_SOURCE_DIR}/devices
                           -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${device_files} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
target_sources(ifl_device PRIVATE ${device_texts})

# So does the PTX of the kernels that the library launches itself.
set(gpu_kernels ${CMAKE_CURRENT_BINARY_DIR}/gpu_kernels.c)
add_custom_command(OUTPUT ${gpu_kernels}
                   COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/src/gpu/kernels.ptx -DOUT=${gpu_kernels}
                           -DNAME=ifl_gpu_kernels -P ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake
                   DEPENDS ${PROJECT_SOURCE_DIR}/src/gpu/kernels.ptx
                           ${PROJECT_SOURCE_DIR}/cmake/embed_text.cmake)
target_sources(ifl_gpu PRIVATE ${gpu_kernels})

# The engine's inner loop, once for each vector width; the best one is chosen at run time.
set(every_width base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND every_width v3 v4)
endif()
set(INFLIGHT_WIDTHS "${every_width}" CACHE STRING "Vector widths of the engine's inner loop, base among them")
if(NOT base IN_LIST INFLIGHT_WIDTHS)
  message(FATAL_ERROR "INFLIGHT_WIDTHS is '${INFLIGHT_WIDTHS}': it must contain base, which every processor runs")
endif()
set(width_flags_base "")
set(width_flags_v3 -march=x86-64-v3)
set(width_flags_v4 -march=x86-64-v4 -mprefer-vector-width=512)
include(${CMAKE_CURRENT_LIST_DIR}/tail_calls.cmake)
set(inner_Release -O3)
set(inner_RelWithDebInfo -O3)
set(inner_Demo -Og -DIFL_JUMPS=0) # -O1, which jumps need, takes twice as long
set(inner_flags "")
set(configurations ${CMAKE_BUILD_TYPE})
if(CMAKE_CONFIGURATION_TYPES)
  set(configurations ${CMAKE_CONFIGURATION_TYPES})
endif()
foreach(config ${configurations})
  inflight_tail_calls(${config} "${inner_${config}}" jumps)
  list(APPEND inner_flags "$<$<CONFIG:${config}>:${inner_${config}};${jumps}>")
endforeach()
file(GLOB width_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/exec/width/*.c)
foreach(width ${INFLIGHT_WIDTHS})
  add_library(ifl_width_${width} OBJECT ${width_sources})
  target_link_libraries(ifl_width_${width} PUBLIC inflight_settings)
  # Of a row's two loops one is enough for a demo, and for the sanitizers: both have the row's expression on the same places.
  target_compile_definitions(ifl_width_${width} PRIVATE IFL_WIDTH=${width}
                             $<$<OR:$<CONFIG:Demo>,$<BOOL:${INFLIGHT_SANITIZE}>>:IFL_ONE_LOOP>)
  # -Wno-psabi: vectors are passed between functions of one file only
  target_compile_options(ifl_width_${width} PRIVATE ${width_flags_${width}} -fopenmp-simd -fno-strict-aliasing -fno-trapping-math
                         -Wno-psabi
                         $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>
                         "${inner_flags}")
endforeach()

add_library(ifl_widths OBJECT ${PROJECT_SOURCE_DIR}/src/exec/widths.c)
target_link_libraries(ifl_widths PUBLIC inflight_settings)
list(APPEND INFLIGHT_OBJECTS $<TARGET_OBJECTS:ifl_widths>)
foreach(width ${INFLIGHT_WIDTHS})
  string(TOUPPER ${width} upper)
  target_compile_definitions(ifl_widths PRIVATE IFL_HAVE_WIDTH_${upper})
  list(APPEND INFLIGHT_OBJECTS $<TARGET_OBJECTS:ifl_width_${width}>)
endforeach()

file(GLOB api CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/api*.c)
add_library(inflight_static STATIC ${api} ${INFLIGHT_OBJECTS})
set_target_properties(inflight_static PROPERTIES OUTPUT_NAME inflight EXPORT_NAME inflight_static)
add_library(inflight_shared SHARED ${api} ${INFLIGHT_OBJECTS})
set_target_properties(inflight_shared PROPERTIES OUTPUT_NAME inflight EXPORT_NAME inflight
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
# What libinflight.so shows: the functions of inflight.h. Names of libiberty, of the engine's tables and those that only the
# stand-in libraries share stay inside.
set(public_header ${PROJECT_SOURCE_DIR}/include/inflight.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_header})
file(READ ${public_header} public_text)
string(REGEX MATCHALL "IFL_API[^;]*;" declarations "${public_text}")
set(public_names "")
foreach(declaration ${declarations})
  if(declaration MATCHES "(ifl_[a-z0-9_]+)\\(")
    string(APPEND public_names "    ${CMAKE_MATCH_1};\n")
  endif()
endforeach()
set(exports ${CMAKE_CURRENT_BINARY_DIR}/exports.map)
file(CONFIGURE OUTPUT ${exports} CONTENT "{\n  global:\n${public_names}  local: *;\n};\n")
target_link_options(inflight_shared PRIVATE -Wl,--exclude-libs,ALL -Wl,--version-script=${exports})
foreach(library inflight_static inflight_shared)
  target_include_directories(${library} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                             $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:inflight_settings>
                        ${INFLIGHT_DEPENDENCIES})
endforeach()

# The lab's cases are for the program alone: no part of the library. Budgets too.
foreach(folder lab check)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${folder}/*.c)
  add_library(ifl_${folder} OBJECT ${sources})
  target_link_libraries(ifl_${folder} PRIVATE inflight_settings PkgConfig::JANSSON)
  target_compile_options(ifl_${folder} PRIVATE ${INFLIGHT_COLD})
  add_library(inflight_${folder} STATIC $<TARGET_OBJECTS:ifl_${folder}>)
  target_link_libraries(inflight_${folder} PUBLIC inflight_static PRIVATE PkgConfig::JANSSON Threads::Threads m)
endforeach()
if(INFLIGHT_FUZZ)
  target_compile_options(ifl_check PRIVATE ${INFLIGHT_COVERAGE})
endif()

file(GLOB cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.c)
add_library(ifl_cli OBJECT ${cli_sources})
target_compile_options(ifl_cli PRIVATE ${INFLIGHT_COLD})
# The references of the lab's cases: a case is a folder, and named nowhere else.
file(GLOB lab_references CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/lab/*/*_reference.c)
add_library(ifl_references OBJECT ${lab_references})
# References at the documents' sizes take all cores; without OpenMP they take one.
find_package(OpenMP COMPONENTS C)
set(program_objects "")
foreach(part ifl_cli ifl_references)
  target_compile_definitions(${part} PRIVATE INFLIGHT_LIBDIR="${CMAKE_INSTALL_LIBDIR}")
  target_include_directories(${part} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/lab)
  target_link_libraries(${part} PRIVATE inflight_settings PkgConfig::JANSSON)
  if(OpenMP_C_FOUND)
    target_link_libraries(${part} PRIVATE OpenMP::OpenMP_C)
  else()
    target_compile_options(${part} PRIVATE -Wno-unknown-pragmas)
  endif()
  list(APPEND program_objects $<TARGET_OBJECTS:${part}>)
endforeach()
set(program_libraries inflight_settings PkgConfig::JANSSON m)
if(OpenMP_C_FOUND)
  list(APPEND program_libraries OpenMP::OpenMP_C)
endif()

add_executable(inflight ${program_objects})
target_link_libraries(inflight PRIVATE inflight_check inflight_lab inflight_static ${program_libraries})
