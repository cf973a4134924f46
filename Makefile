# Short names for what one does often; the work is done by CMake presets (CMakePresets.json) and the scripts in tools/.
# JOBS is how many things are built at once, TEST_JOBS how many tests run at once, SANITIZED_JOBS how many of those with a sanitizer;
# PREFIX is where `make install` puts the library.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory

JOBS ?= $(shell nproc)
# Tests wait more than they compute: for time limits, for hosts that are cut off, for ranks that sleep.
TEST_JOBS ?= $(shell expr 3 \* $(JOBS))
# With a sanitizer they compute more.
SANITIZED_JOBS ?= $(shell expr 2 \* $(JOBS))
PREFIX ?= /usr/local
# The distribution's Python, because it is the one that sees the distribution's packages (matplotlib, mkdocs).
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) python3)

# tools/setup puts a newer CMake there where the distribution's is too old.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
ifneq ($(shell command -v ccache),)
export CMAKE_C_COMPILER_LAUNCHER ?= ccache
export CMAKE_CXX_COMPILER_LAUNCHER ?= ccache
# A clone in another folder finds what this one compiled: paths below the folder are relative, and the folder itself does not count.
export CCACHE_BASEDIR ?= $(CURDIR)
export CCACHE_NOHASHDIR ?= 1
endif

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-hosts bench plots docs seeds asan tsan fuzz install package format lint clean

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 18

demo: build-demo ## sort data with several ranks on this machine and check the result
	apps/terasort/demo build/demo

test: setup-test build-dev ## build and run all tests
	ctest --preset dev -j $(TEST_JOBS)

test-hosts: setup-hosts build-dev ## run the tests on several hosts, which are made on this machine
	ctest --preset dev -j $(TEST_JOBS) -L hosts

bench: setup-bench build-release ## measure Polder beside the MPI libraries that are installed
	bench/run build/release

plots: setup-bench ## draw the curves of the last `make bench`
	$(PYTHON) bench/plots/plot.py

docs: setup-docs ## build the documentation into site/
	$(PYTHON) tools/api_reference.py build/docs
	mkdocs build --quiet --strict --config-file build/docs/mkdocs.yml --site-dir "$(CURDIR)/site"
	@echo "docs: open site/index.html"

asan: setup-test build-asan ## run the tests with the address and undefined-behaviour sanitizers
	ctest --preset asan -j $(SANITIZED_JOBS)

tsan: setup-test build-tsan ## run the tests with the thread sanitizer
	ctest --preset tsan -j $(SANITIZED_JOBS)

SEED_TIMES ?= 10
seeds: setup-test build-dev ## run the tests that draw courses from seeds, SEED_TIMES times as many as in make test (10)
	POLDER_TEST_TIMES=$(SEED_TIMES) ctest --preset dev -j $(SANITIZED_JOBS) -R 'Seeds|LateMembers' --timeout 7200

FUZZ_SECONDS ?= 60
fuzz: setup-test setup-fuzz ## feed the decoders of messages what libFuzzer thinks of, FUZZ_SECONDS each (60)
	cmake --preset fuzz
	cmake --build build/fuzz --target fuzz_targets -j $(JOBS)
	tests/fuzz/run build/fuzz $(FUZZ_SECONDS)

install: build-release ## install the release build into PREFIX (default /usr/local)
	cmake --install build/release --prefix "$(PREFIX)"

package: setup-package ## make Debian packages of it in build/package
	cmake --preset package
	cmake --build --preset package -j $(JOBS)
	cd build/package && cpack
	@ls build/package/*.deb

format: ## format every C and C++ file
	tools/format

lint: setup-lint setup-test ## run clang-tidy over the files that changed, or FILES="..." or FILES=all
	cmake --preset dev >/dev/null
	tools/lint $(FILES)

clean: ## remove what was built
	rm -rf build site

setup-%:
	@tools/setup build $*

build-dev build-asan build-tsan: build-%: setup-test
	cmake --preset $*
	cmake --build --preset $* -j $(JOBS)

# The launcher and the program that it starts.
build-demo: setup-build
	cmake --preset demo
	cmake --build --preset demo -j $(JOBS)

build-release: setup-build
	cmake --preset release -DPOLDER_BUILD_TESTS=OFF
	cmake --build --preset release -j $(JOBS)
