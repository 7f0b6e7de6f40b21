# SPDX-License-Identifier: Apache-2.0
# CPack adds scripts that call ldconfig to packages with libraries, where Debian's policy wants a trigger, which
# libinflight has. The packages are put together again without them. Who wants them soon rather than small says so with
# `cpack -D CPACK_XZ_LEVEL=0`.
if(NOT DEFINED CPACK_XZ_LEVEL)
  set(CPACK_XZ_LEVEL 6)
endif()
foreach(package IN LISTS CPACK_PACKAGE_FILES)
  set(tree "${CPACK_TEMPORARY_DIRECTORY}/finish")
  file(REMOVE_RECURSE "${tree}")
  execute_process(COMMAND dpkg-deb --raw-extract "${package}" "${tree}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${tree}/DEBIAN/postinst" "${tree}/DEBIAN/postrm")
  execute_process(COMMAND dpkg-deb --root-owner-group -Zxz -z${CPACK_XZ_LEVEL} --build "${tree}" "${package}"
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()
