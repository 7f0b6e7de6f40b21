# SPDX-License-Identifier: Apache-2.0
# The last step of an installation: the dynamic linker is told of libinflight.so where it searches that folder (ldconfig, by
# root), else a message says how a program that links the library finds it. The program and the libraries of `inflight run`
# need neither: they find each other by where they are. A staged installation is left alone: its package does this.
# Wants INFLIGHT_LIBDIR, relative to the prefix.
if(NOT "$ENV{DESTDIR}" STREQUAL "" OR DEFINED CPACK_PACKAGING_INSTALL_PREFIX)
  return()
endif()
get_filename_component(libdir "${INFLIGHT_LIBDIR}" ABSOLUTE BASE_DIR "${CMAKE_INSTALL_PREFIX}")
get_filename_component(real_libdir "${libdir}" REALPATH)

# The folders that ldconfig searches, which may be links: /lib is /usr/lib.
find_program(INFLIGHT_LDCONFIG ldconfig PATHS /sbin /usr/sbin)
set(folders "")
if(INFLIGHT_LDCONFIG)
  execute_process(COMMAND ${INFLIGHT_LDCONFIG} -N -X -v OUTPUT_VARIABLE said ERROR_QUIET)
  string(REGEX MATCHALL "\n/[^:\n]*" lines "\n${said}")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" folder)
    get_filename_component(folder "${folder}" REALPATH)
    list(APPEND folders "${folder}")
  endforeach()
endif()

list(FIND folders "${real_libdir}" place)
if(place EQUAL -1)
  message(STATUS "The dynamic linker does not search ${libdir}: link programs that use libinflight.so with "
                 "-Wl,-rpath,${libdir}. The program inflight needs nothing more.")
  return()
endif()
execute_process(COMMAND ${INFLIGHT_LDCONFIG} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
if(status EQUAL 0)
  message(STATUS "The dynamic linker finds libinflight.so in ${libdir} (ldconfig)")
else()
  message(STATUS "As root, run ldconfig: programs that use libinflight.so then find it in ${libdir}")
endif()
