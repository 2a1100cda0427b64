# OMPL for src/plan/yardstick.cpp. Not found or not wanted: everything else builds, and
# plan_with_ompl() says that OMPL is not built in.
set(CLEARANCE_OMPL_LIBRARIES "")
set(CLEARANCE_OMPL_FOUND OFF)
set(CLEARANCE_OMPL_PC "")
if(NOT CLEARANCE_WITH_OMPL)
  return()
endif()

find_package(ompl QUIET)
find_package(Eigen3 QUIET NO_MODULE)
if(NOT OMPL_INCLUDE_DIR OR NOT TARGET Eigen3::Eigen)
  message(STATUS "OMPL not found (libompl-dev): built without")
  return()
endif()
set(CLEARANCE_OMPL_FOUND ON)
# By name, so that a static library can be linked on another machine.
set(CLEARANCE_OMPL_LIBRARIES ompl)
set(CLEARANCE_OMPL_PC " -lompl")
get_target_property(CLEARANCE_OMPL_INCLUDES Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
list(APPEND CLEARANCE_OMPL_INCLUDES ${OMPL_INCLUDE_DIR})
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/plan/yardstick.cpp PROPERTIES
                            COMPILE_DEFINITIONS CLEARANCE_WITH_OMPL=1)
