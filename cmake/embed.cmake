# SPDX-License-Identifier: Apache-2.0
# Writes a C file with the texts of FILES as an array, so that the library needs no path at run time.
# cmake -DOUT=... -DFOLDER=... -P embed.cmake
file(GLOB files ${FOLDER}/*.gpu ${FOLDER}/*.limits)
list(SORT files)
set(rows "")
set(count 0)
foreach(file ${files})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND rows "    {\"${name}\",\n     \"${text}\"},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE ${OUT}.new "/* Made by cmake/embed.cmake from devices/. */
#include \"device/device.h\"

const ifl_device_text ifl_device_texts[] = {
${rows}};
const size_t ifl_device_text_count = ${count};
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
