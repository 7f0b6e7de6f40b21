# SPDX-License-Identifier: Apache-2.0
# Debian packages by `cpack -G DEB`, from what `make install` installs: inflight (the program, the libraries of `inflight
# run`, cases and documents), libinflightN and libinflight-dev. What Debian wants beyond that is in packaging/debian.
set(INFLIGHT_MAINTAINER "The inflight authors <maintainers@inflight.invalid>" CACHE STRING "Maintainer of the Debian packages")
set(INFLIGHT_DEBIAN ${PROJECT_SOURCE_DIR}/packaging/debian)
configure_file(${INFLIGHT_DEBIAN}/changelog.in ${PROJECT_BINARY_DIR}/debian/changelog @ONLY)
configure_file(${INFLIGHT_DEBIAN}/shlibs.in ${PROJECT_BINARY_DIR}/debian/shlibs @ONLY)
configure_file(${INFLIGHT_DEBIAN}/stage.cmake.in ${PROJECT_BINARY_DIR}/debian/stage.cmake @ONLY)

# The static library's own dependencies are among the packages that the build needs. libdw is the stand-in libraries'.
file(STRINGS ${PROJECT_SOURCE_DIR}/tools/packages link_packages REGEX "^build lib.*-dev$")
list(TRANSFORM link_packages REPLACE "^build " "")
list(REMOVE_ITEM link_packages libdw-dev)
list(JOIN link_packages ", " link_packages)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/packages)

# Packing what is built must not build the tests: `make deb` builds the target product first.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The inflight authors")
set(CPACK_PACKAGE_CONTACT "${INFLIGHT_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library development)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/debian/stage.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${INFLIGHT_DEBIAN}/finish.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE gzip) # quickly: finish.cmake packs again
set(CPACK_DEBIAN_PACKAGE_SOURCE inflight)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/standin)

set(purpose "inflight runs a CUDA kernel exactly, on the CPU, and reports what each memory
instruction requests from the memory system, what limits the kernel on a GPU
and what would help. It needs no GPU and no CUDA toolkit.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME inflight)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PROGRAM_DESCRIPTION "analysis of the memory accesses of CUDA kernels without a GPU
${purpose}
 
This package holds the program, the libraries with which it runs unmodified
CUDA programs, the case studies and the documents.")

set(library_package libinflight${PROJECT_VERSION_MAJOR})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME ${library_package})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/shlibs ${INFLIGHT_DEBIAN}/triggers)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "analysis of CUDA kernels without a GPU - shared library
${purpose}
 
This package holds the shared library.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libinflight-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${PROJECT_VERSION}), ${link_packages}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "analysis of CUDA kernels without a GPU - development files
${purpose}
 
This package holds the header, the static library, and the files for
pkg-config and CMake.")
include(CPack)
