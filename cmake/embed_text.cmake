# SPDX-License-Identifier: Apache-2.0
# Writes a C file with the text of the file IN as the array NAME.
# cmake -DIN=... -DOUT=... -DNAME=... -P embed_text.cmake
get_filename_component(from ${IN} NAME)
file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n    \"" text "${text}")
file(WRITE ${OUT}.new "/* Made by cmake/embed_text.cmake from ${from}. */
extern const char ${NAME}[];
const char ${NAME}[] =
    \"${text}\";
")
execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different ${OUT}.new ${OUT})
