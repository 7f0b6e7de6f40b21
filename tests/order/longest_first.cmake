# SPDX-License-Identifier: Apache-2.0
# The longest first, of short tests, long ones and those of the sanitizers alike; a name that no test has is passed over.
set(longest
    gpu.matrix_h200_all gpu.caches_most alloc.everything_all advice.costly advice.as_measured advice.full_size install.deb model.measured
    cli.demo advice.cases model.times.everyday_all libraries.cuda gpu.caches advice.problems install.cmake_cuda lab.haxpy model.tensor
    model.times.prefetch_all gpu.matrix_exact_all access.sweep.best_more cli.pages gpu.tensors gpu.replay_machine gpu.replay
    house.format unit.test_time_window unit.test_rounded_lane calls.random.13 ptx.machine.waits.sm_90 ptx.waits)
list(LENGTH longest cost)
foreach(name ${longest})
  set_tests_properties(${name} PROPERTIES COST ${cost})
  math(EXPR cost "${cost} - 1")
endforeach()
