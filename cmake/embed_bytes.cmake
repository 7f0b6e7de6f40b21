# SPDX-License-Identifier: Apache-2.0
# Writes a C file with the bytes of FILES (separated by commas) as an array of the type embedded_file, which HEADER
# declares, called NAME.
# cmake -DOUT=... -DFILES=... -DHEADER=... -DNAME=... -P embed_bytes.cmake
string(REPLACE "," ";" files "${FILES}")
set(arrays "")
set(rows "")
set(count 0)
foreach(file ${files})
  file(READ ${file} bytes HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n    " bytes "${bytes}")
  string(APPEND arrays "static const uint8_t file_${count}[] = {\n    ${bytes}};\n")
  string(APPEND rows "    {file_${count}, sizeof file_${count}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}.new "/* Made by cmake/embed_bytes.cmake. */
#include \"${HEADER}\"

${arrays}
const embedded_file ${NAME}[] = {
${rows}};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
