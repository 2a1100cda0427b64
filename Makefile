# SPDX-FileCopyrightText: The Clearance authors
# SPDX-License-Identifier: BSD-3-Clause
#
# The front door. Everything here is a thin call of tools/ and the CMake presets.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

JOBS    ?= $(shell nproc)
ONLY    ?=
SECONDS ?= 30
PREFIX  ?= /usr/local

.PHONY: help setup demo test bench lint fuzz install asan tsan clean

help: ## this list
	@echo "Clearance: how close are these things, and can they move without touching?"
	@echo
	@sed -nE 's/^([a-z]+):[^#]*## (.*)/  make \1 \2/p' $(MAKEFILE_LIST) \
	  | sed -E 's/^  make ([a-z]+) /  make \1\t/' | expand -t 18
	@echo
	@echo "Settings: JOBS=$(JOBS) (processes at once)"

setup: ## install the Debian packages that are missing (tools/packages.txt)
	@tools/setup.sh

demo: setup ## build the program, run each job on examples, write demo/index.html
	@$(call build,release)
	@tools/demo.sh build/release/cli/clearance demo

test: setup ## build with assertions and run all tests
	@$(call build,dev)
	@ctest --preset dev --parallel $(JOBS)

bench: setup ## compare speed with other libraries: make bench [ONLY=regex] [FULL=1]
	@$(call build,bench)
	@build/bench/bench/clearance_bench --out build/bench --only '$(ONLY)' $(if $(FULL),,--quick)

lint: setup ## layout, static analysis, scripts, notices
	@$(call configure,dev)
	@tools/lint.sh build/dev $(JOBS)

fuzz: setup ## look for crashing input of the readers: make fuzz [SECONDS=30] (each)
	@$(call build,fuzz)
	@tools/fuzz.sh build/fuzz $(SECONDS)

install: setup ## library, headers, program: make install [PREFIX=/usr/local]
	@$(call build,release)
	@cmake --install build/release --prefix '$(PREFIX)'
	@if [ "$$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then ldconfig; fi

asan: setup ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	@$(call build,asan)
	@ctest --preset asan --parallel $(JOBS)

tsan: setup ## all tests under ThreadSanitizer
	@$(call build,tsan)
	@ctest --preset tsan --parallel $(JOBS)

clean: ## remove everything that was built
	@rm -rf build demo

# configure PRESET: quiet while all is well, CMake's own words when it is not.
configure = mkdir -p build && { cmake --preset $(1) >build/$(1).log 2>&1 || { cat build/$(1).log >&2; exit 1; }; }
build = $(configure) && cmake --build --preset $(1) --parallel $(JOBS)
