# SPDX-License-Identifier: Apache-2.0
# Handlers of the engine's inner loop jump to each other where calls in tail position become jumps (src/exec/width/dispatch.h);
# if they do not, a long block of instructions overflows the stack. gcc makes jumps of them from -O2 on, and at -O1 if it is asked
# to; at -Og not even then. So it is tried, with the flags that the inner loop gets.
option(INFLIGHT_TAIL_CALLS "Handlers of the engine jump to each other where the compiler optimises; OFF: a loop calls each" ON)

# Sets `out` to yes, no, or unoptimised.
function(inflight_try_tail_calls flags out)
  string(SHA1 key "${CMAKE_C_COMPILER} ${flags}")
  if(NOT DEFINED INFLIGHT_TAIL_CALLS_${key})
    set(CMAKE_C_FLAGS "${flags}")
    set(CMAKE_TRY_COMPILE_CONFIGURATION Tried) # which has no flags of its own
    try_run(status compiled ${CMAKE_BINARY_DIR}/tail_calls ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tail_calls.c)
    set(words yes no unoptimised)
    set(word unknown)
    if(compiled AND status MATCHES "^[012]$")
      list(GET words ${status} word)
    endif()
    unset(status CACHE)
    unset(compiled CACHE)
    set(INFLIGHT_TAIL_CALLS_${key} ${word} CACHE INTERNAL "Are calls in tail position jumps with ${flags}?")
  endif()
  set(${out} ${INFLIGHT_TAIL_CALLS_${key}} PARENT_SCOPE)
endfunction()

# Sets `options` to what a configuration's inner loop is compiled with behind `own`, its own flags.
function(inflight_tail_calls config own options)
  string(TOUPPER "${config}" upper)
  string(JOIN " " flags ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${upper}} ${own})
  set(asked -O1 -foptimize-sibling-calls)
  string(JOIN " " more ${flags} ${asked})
  set(result)
  if("-DIFL_JUMPS=0" IN_LIST own)
    # it has been said
  elseif(INFLIGHT_SANITIZE OR NOT INFLIGHT_TAIL_CALLS OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
    set(result -DIFL_JUMPS=0)
  elseif(CMAKE_C_COMPILER_ID STREQUAL "GNU") # clang is told which calls must be jumps
    inflight_try_tail_calls("${flags}" jumps)
    if(jumps STREQUAL "no")
      inflight_try_tail_calls("${more}" jumps)
      set(result ${asked})
    endif()
    if(jumps STREQUAL "yes")
      list(APPEND result -DIFL_JUMPS=1)
    elseif(NOT jumps STREQUAL "unoptimised")
      message(FATAL_ERROR "gcc makes no jumps of calls in tail position with '${more}', so that long code would overflow the "
                          "engine's stack. Leave out the flags that forbid it (-pg, -finstrument-functions, "
                          "-fno-optimize-sibling-calls), or use -DINFLIGHT_TAIL_CALLS=OFF: a slower engine without them.")
    endif()
  endif()
  set(${options} "${result}" PARENT_SCOPE)
endfunction()
