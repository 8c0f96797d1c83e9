# SPDX-License-Identifier: Apache-2.0
# The front of Meson and Ninja.  Each target installs the tools it needs and lacks (tools/setup);
# everything that is built goes to build/.
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
BUILD ?= build
export BUILD PREFIX FUZZ_SECONDS

.PHONY: all help demo test check e2e bench fuzz install clean test-asan test-tsan test-arm64

all:
	@tools/setup build
	@tools/build default

help:
	@echo 'make             build the library, shared and static, and the tests'
	@echo 'make demo        build and run the demo'
	@echo 'make test        run the unit tests and the fuzz corpora'
	@echo 'make check       style, layers, symbols, headers; gcc and clang without a warning'
	@echo 'make e2e         run the end-to-end tests, with a real API server; needs Go'
	@echo 'make bench       run the benchmarks; with Go, beside a real API server too'
	@echo 'make fuzz        fuzz each target for FUZZ_SECONDS (60)'
	@echo 'make test-asan   the tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo 'make test-tsan   the tests under ThreadSanitizer'
	@echo 'make test-arm64  the tests as programs for 64-bit ARM, under qemu'
	@echo 'make install     install into PREFIX (/usr/local), below DESTDIR if set'
	@echo 'make clean       remove build/'

demo:
	@tools/setup build
	@tools/build default src/cli/kin
	@$(BUILD)/default/src/cli/kin demo

test:
	@tools/setup build
	@tools/build default
	@tools/run-tests $(BUILD)/default

check:
	@tools/setup check
	@tools/check

e2e:
	@tools/run-e2e

bench:
	@tools/setup bench
	@tools/build release bench/kin-bench
	@status=0; $(BUILD)/release/bench/kin-bench || status=1; \
	if command -v go >/dev/null; then \
	    bench/cluster/run list informer changes relist idle server || status=1; \
	else echo 'no Go: nothing is measured beside a real API server'; fi; exit $$status

fuzz:
	@tools/setup fuzz
	@tools/build fuzz
	@tools/fuzz

test-asan:
	@tools/setup sanitize
	@tools/build asan
	@TEST_TIME_LIMIT_MS=60000 tools/run-tests $(BUILD)/asan

test-tsan:
	@tools/setup sanitize
	@tools/build tsan
	@TEST_TIME_LIMIT_MS=60000 tools/run-tests $(BUILD)/tsan

test-arm64:
	@tools/setup arm64
	@tools/build arm64
	@TEST_TIME_LIMIT_MS=120000 TEST_WRAPPER='qemu-aarch64 -L /usr/aarch64-linux-gnu' \
	    tools/run-tests $(BUILD)/arm64

install:
	@tools/setup build
	@tools/build install
	@meson install -C $(BUILD)/install --no-rebuild

clean:
	rm -rf $(BUILD)
