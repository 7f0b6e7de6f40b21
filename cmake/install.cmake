# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where: program, both libraries, the public header, pkg-config file, CMake
# package, man page, shell completion, documents and the lab's launches.
include(CMakePackageConfigHelpers)
set(INFLIGHT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/inflight)
set(INFLIGHT_SHARE_DIR ${CMAKE_INSTALL_DATADIR}/inflight)

# Each part belongs to a component, which is a package (package.cmake).
install(TARGETS inflight_shared EXPORT inflightTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
install(TARGETS inflight_static EXPORT inflightStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/include/inflight.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# find_package(inflight) gives inflight::inflight; with COMPONENTS static also
# inflight::inflight_static.
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/inflightConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/inflightConfig.cmake
                              INSTALL_DESTINATION ${INFLIGHT_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/inflightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/inflightConfig.cmake
              ${PROJECT_BINARY_DIR}/inflightConfigVersion.cmake
        DESTINATION ${INFLIGHT_CMAKE_DIR} COMPONENT development)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake RENAME inflightDependencies.cmake
        DESTINATION ${INFLIGHT_CMAKE_DIR} COMPONENT development)
install(EXPORT inflightTargets NAMESPACE inflight:: DESTINATION ${INFLIGHT_CMAKE_DIR} COMPONENT development)
install(EXPORT inflightStaticTargets NAMESPACE inflight:: DESTINATION ${INFLIGHT_CMAKE_DIR} COMPONENT development)

# The prefix is taken from where the file lies, so that a moved or staged installation still works.
file(RELATIVE_PATH INFLIGHT_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" INFLIGHT_PC_PREFIX "${INFLIGHT_PC_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/inflight.pc.in ${PROJECT_BINARY_DIR}/inflight.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/inflight.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

install(TARGETS ${INFLIGHT_STANDIN_TARGETS} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/inflight COMPONENT program)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/lab DESTINATION ${INFLIGHT_SHARE_DIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${INFLIGHT_SHARE_DIR} COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${INFLIGHT_SHARE_DIR} USE_SOURCE_PERMISSIONS COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${INFLIGHT_SHARE_DIR} COMPONENT program)

if(TARGET inflight)
  install(TARGETS inflight RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # The program writes its own man page, from the tables that its help comes from.
  set(man_page ${PROJECT_BINARY_DIR}/man/inflight.1)
  add_custom_command(OUTPUT ${man_page} DEPENDS inflight
                     COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/man
                     COMMAND inflight --man > ${man_page} VERBATIM)
  add_custom_target(man ALL DEPENDS ${man_page})
  install(FILES ${man_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/completion/inflight.bash RENAME inflight
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/completion/inflight.zsh RENAME _inflight
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
  install(FILES ${PROJECT_SOURCE_DIR}/completion/inflight.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
endif()

install(CODE "set(INFLIGHT_LIBDIR \"${CMAKE_INSTALL_LIBDIR}\")" COMPONENT library)
install(SCRIPT ${CMAKE_CURRENT_LIST_DIR}/tell_linker.cmake COMPONENT library)

# All that is installed, and no more: what `make install` and the packages build.
add_custom_target(product DEPENDS inflight_shared inflight_static ${INFLIGHT_STANDIN_TARGETS})
if(TARGET inflight)
  add_dependencies(product inflight man)
endif()
