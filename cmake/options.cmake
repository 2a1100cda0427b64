# Options and the compiler flags every target shares.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# Shown only when Clearance is the project being built, not a part of another one.
option(CLEARANCE_WITH_STEP "Read STEP files through OpenCASCADE" ON)
option(CLEARANCE_WITH_OPENCL "Probe on OpenCL devices, where OpenCL is found" ON)
option(CLEARANCE_WITH_BULLET "Simulate piles of parts, where Bullet is found" ON)
option(CLEARANCE_WITH_OMPL "Plan with OMPL as a yardstick, where OMPL is found" ON)
option(CLEARANCE_BUILD_CLI "Build the program clearance" ${PROJECT_IS_TOP_LEVEL})
option(CLEARANCE_BUILD_TESTS "Build the tests and examples" ${PROJECT_IS_TOP_LEVEL})
option(CLEARANCE_BUILD_BENCH "Build the benchmarks against other libraries" OFF)
option(CLEARANCE_BUILD_FUZZ "Build the libFuzzer harnesses (needs clang)" OFF)
option(BUILD_SHARED_LIBS "Build a shared library: programs that use it need none of the libraries behind it"
       ${PROJECT_IS_TOP_LEVEL})
option(CLEARANCE_WERROR "Treat warnings as errors" OFF)
set(CLEARANCE_ARCH "x86-64-v3" CACHE STRING
    "Instruction set: x86-64-v3 (AVX2, any PC since 2013), native, or empty for the compiler's default")
set(CLEARANCE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize= takes them")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND PROJECT_IS_TOP_LEVEL)
  # Objects are kept by the text of their sources, wherever the checkout stands: a second clone is
  # built in seconds.
  set(CMAKE_CXX_COMPILER_LAUNCHER /usr/bin/env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      ${CCACHE_PROGRAM})
endif()

# One interface target carries the flags, so that nothing leaks to a project that includes us.
add_library(clearance_flags INTERFACE)
target_compile_options(clearance_flags INTERFACE
  # No fused multiply-add unless written out: the same bits from every build type and machine,
  # and the error-free transformations of src/geometry/expansion.h stay error free.
  -ffp-contract=off
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
  -Woverloaded-virtual -Wcast-align
  # Designated initialisers name what differs from the defaults; the rest is meant to be left out.
  -Wno-missing-field-initializers)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Vectors of doubles change their calling convention with the instruction set: internal use only.
  # -Wrestrict of GCC 12 is wrong about "text" + std::string (GCC bug 105651).
  target_compile_options(clearance_flags INTERFACE -Wno-psabi -Wno-restrict)
endif()
# Symbols are visible (tests reach the internals), but nobody replaces them at load time: calls
# inside the library stay direct and can be inlined.
target_compile_options(clearance_flags INTERFACE -fno-semantic-interposition)
if(CLEARANCE_ARCH AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_compile_options(clearance_flags INTERFACE -march=${CLEARANCE_ARCH})
endif()
if(CLEARANCE_WERROR)
  target_compile_options(clearance_flags INTERFACE -Werror)
endif()
if(CLEARANCE_SANITIZE)
  target_compile_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(clearance_flags INTERFACE -fsanitize=${CLEARANCE_SANITIZE})
endif()
if(CLEARANCE_BUILD_FUZZ)
  # Coverage counters for libFuzzer in all our code.
  target_compile_options(clearance_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
# CLEARANCE_ASSERT is on in every build but Release.
target_compile_definitions(clearance_flags INTERFACE $<$<NOT:$<CONFIG:Release>>:CLEARANCE_CHECKED=1>)
