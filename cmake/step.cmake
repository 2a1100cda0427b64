# STEP: OpenCASCADE is linked into a program of its own that the library runs when it reads a STEP
# file (src/mesh/step_protocol.h says why).
# The libraries are found one by one: OpenCASCADE's own CMake package asks for all of it, the
# viewers and the test program included.
include(GNUInstallDirs)
if(NOT CLEARANCE_WITH_STEP)
  return()
endif()

find_path(OPENCASCADE_INCLUDE_DIR STEPCAFControl_Reader.hxx PATH_SUFFIXES opencascade REQUIRED)
set(opencascade_libraries "")
foreach(library TKXDESTEP TKXCAF TKLCAF TKCDF TKSTEP TKSTEPBase TKXSBase TKMesh TKTopAlgo TKBRep TKG3d
                TKMath TKernel)
  find_library(OPENCASCADE_${library} ${library} REQUIRED)
  list(APPEND opencascade_libraries ${OPENCASCADE_${library}})
endforeach()

add_executable(clearance_step src/mesh/step/main.cpp src/mesh/step_protocol.cpp)
target_include_directories(clearance_step PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_include_directories(clearance_step SYSTEM PRIVATE ${OPENCASCADE_INCLUDE_DIR})
target_link_libraries(clearance_step PRIVATE clearance_flags ${opencascade_libraries})
if(CLEARANCE_SANITIZE)
  target_compile_definitions(clearance_step PRIVATE CLEARANCE_SANITIZED=1)
endif()
set_target_properties(clearance_step PROPERTIES OUTPUT_NAME clearance-step
                      RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

target_compile_definitions(clearance_mesh PRIVATE CLEARANCE_WITH_STEP=1
                           CLEARANCE_LIBEXEC="${CMAKE_INSTALL_LIBEXECDIR}"
                           CLEARANCE_LIBEXEC_PATH="${CMAKE_INSTALL_FULL_LIBEXECDIR}")
add_dependencies(clearance clearance_step)
install(TARGETS clearance_step RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR})
