# clearance_build_info: an interface target whose header build_info.h says what this build is. It is
# written when the build is configured (clang-tidy and editors need it before anything is built) and
# again at every build, which looks up the commit; the header changes only when its text does. Run as
# a script (cmake -P), this file writes the header.
if(CMAKE_SCRIPT_MODE_FILE)
  set(commit "unknown")
  execute_process(COMMAND git -C "${SOURCE_DIR}" describe --always --dirty --abbrev=10 --exclude=*
                  OUTPUT_VARIABLE described RESULT_VARIABLE status
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(status EQUAL 0)
    set(commit "${described}")
  endif()
  configure_file("${SOURCE_DIR}/cmake/build_info.h.in" "${OUTPUT}" @ONLY)
  return()
endif()

string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type_upper)
get_target_property(shared_flags clearance_flags INTERFACE_COMPILE_OPTIONS)
list(JOIN shared_flags " " shared_flags)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type_upper}} ${shared_flags}" all_flags)
set(build_info_folder ${PROJECT_BINARY_DIR}/generated)
set(write_build_info ${CMAKE_COMMAND} -DSOURCE_DIR=${PROJECT_SOURCE_DIR}
    -DOUTPUT=${build_info_folder}/build_info.h -DVERSION=${PROJECT_VERSION}
    "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
    "-DFLAGS=${all_flags}" -P ${CMAKE_CURRENT_LIST_FILE})
execute_process(COMMAND ${write_build_info} COMMAND_ERROR_IS_FATAL ANY)
add_custom_target(clearance_write_build_info
  COMMAND ${write_build_info}
  BYPRODUCTS ${build_info_folder}/build_info.h
  COMMENT "" VERBATIM)
add_library(clearance_build_info INTERFACE)
target_include_directories(clearance_build_info INTERFACE ${build_info_folder})
add_dependencies(clearance_build_info clearance_write_build_info)
