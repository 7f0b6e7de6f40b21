# SPDX-License-Identifier: Apache-2.0
# Short names for what CMake and CTest do. Each works on a bare Debian 12: what is missing is
# installed first.
BUILD ?= build
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export FUZZ_SECONDS ?= 60
export FUZZ_RUNS FUZZ_JOBS FUZZ_DEADLINE FUZZ_OUT
MAKEFLAGS += --no-print-directory

CTEST = ctest --output-on-failure --timeout 600 -j $(JOBS) --test-dir

.PHONY: all product demo check check-gpu bench asan clang fuzz fuzz-pack docs format install deb single clean

all:
	@tools/install-packages build test
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD) -j $(JOBS)

# What is installed, without tests and what they need.
product:
	@tools/install-packages build
	cmake -S . -B $(BUILD) -DCMAKE_BUILD_TYPE=Release
	cmake --build $(BUILD) -j $(JOBS) --target product

# The program, built for a quick start: one vector width and less optimised. `make` builds the one to work with.
demo:
	@tools/install-packages build
	cmake -S . -B build-demo -DCMAKE_BUILD_TYPE=Demo -DINFLIGHT_WIDTHS=base -DBUILD_TESTING=OFF
	cmake --build build-demo -j $(JOBS) --target inflight
	build-demo/inflight analyze lab/axpy/axpy_naive.launch --gpu rtx-pro-5000 --gpu b200@1155

# With LONG=1 also programs, libraries and packages that nothing shorter stands for: they need nvcc, ptxas or lintian. With ALL=1
# more of what the short tests have, too, and in place of it: all launches, products and kernels that a GPU counted, computed or
# timed, at full size; each allocation that can fail; programs that are kept built, built anew.
SOME = ^(advice[.]pairs|calls[.]random[.]13|gpu[.](caches|matrix_exact|matrix_h200|matrix_machine)|alloc[.](everything|gpu)|access[.]sweep[.]best|model[.]times[.](everyday|tail|bank-conflicts|prefetch|wide-loads)|lab[.]ptx[.].*)$$
check: all
	$(CTEST) $(BUILD) $(if $(ALL),-C all -E '$(SOME)',$(if $(LONG),-C long))

check-gpu: all
	@tools/check-gpu $(BUILD)

bench: all
	$(BUILD)/bench/bench_engine
	$(BUILD)/bench/bench_operations
	$(BUILD)/bench/bench_loops
	$(BUILD)/bench/bench_caches

# Both with clang, the compiler that `all` does not use; warnings are errors there as well.
clang:
	@tools/install-packages build test ci
	cmake -S . -B build-clang -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release
	cmake --build build-clang -j $(JOBS)

# One vector width is enough for the sanitizers: all are stamped from the same rows, and take half of the build's time. LLVM's linker
# takes a third of the time that the other takes for their symbols.
build-asan:
	@tools/install-packages build test ci
	cmake -S . -B build-asan -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug \
	    -DCMAKE_C_FLAGS_DEBUG="-O1 -gline-tables-only" -DINFLIGHT_SANITIZE=ON -DINFLIGHT_FUZZ=ON -DINFLIGHT_WIDTHS=base \
	    -DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld -DCMAKE_MODULE_LINKER_FLAGS=-fuse-ld=lld
	cmake --build build-asan -j $(JOBS)
.PHONY: build-asan

# Under the sanitizers not again what takes minutes there and runs the same code as shorter tests (access.sweep.best is
# access.sweep.base there; schedules are those of the quick probes), nor installations, nor what runs no code of ours.
SLOW = ^alloc[.](everything|gpu)|^access[.]sweep[.]best|^check[.](example[.]spill|cache)|^cli[.]pages|^house[.](format|names|tools)|^docs[.](lab|session)|^install[.]|^lab[.]|^model[.](adds|chains|exchanges|l2|measured|narrow|parts|specials|structures|times|turns|uneven)|^advice[.](cases|problems)|^gpu[.](caches|differential|replay|matrix|tensors|mufu)|^programs[.]locks|^unit[.]test_time_window$$
# clang 14's leak check can take what lies before a thread's block of the stand-in for the block's header, and crash.
asan: build-asan
	ASAN_OPTIONS=intercept_tls_get_addr=0 $(CTEST) build-asan -E '$(SLOW)'

fuzz: build-asan
	tools/fuzz build-asan

# The targets alone, to be run on another machine by tools/fuzz build-asan/fuzz-pack.
fuzz-pack: build-asan
	cmake --build build-asan -j $(JOBS) --target fuzz-pack

# Writes the pages of docs/ that come from tables.
docs: all
	cmake --build $(BUILD) --target docs

format:
	@tools/install-packages ci
	tools/sources | grep '\.[ch]$$' | xargs clang-format -i

install: product
	cmake --install $(BUILD) --prefix $(PREFIX)

# The packages of Debian, checked by its lintian.
deb: product
	@tools/install-packages deb
	cd $(BUILD) && cpack -G DEB
	lintian --fail-on error,warning $(BUILD)/*inflight*_*.deb

# The program as one file: $(BUILD)/inflight-single.
single: product
	cmake --build $(BUILD) -j $(JOBS) --target inflight-single

clean:
	rm -rf $(BUILD) build-asan build-clang build-demo
