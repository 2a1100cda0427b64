# Bullet for src/grasp/pile_world.cpp, in double precision. Not found or not wanted: everything
# else builds, and simulate_pile() says that Bullet is not built in.
set(CLEARANCE_BULLET_LIBRARIES "")
set(CLEARANCE_BULLET_FOUND OFF)
set(CLEARANCE_BULLET_PC "")
if(NOT CLEARANCE_WITH_BULLET)
  return()
endif()

find_path(BULLET_INCLUDE_DIR btBulletDynamicsCommon.h PATH_SUFFIXES bullet)
find_library(BULLET_DYNAMICS_LIBRARY BulletDynamics-float64)
if(NOT BULLET_INCLUDE_DIR OR NOT BULLET_DYNAMICS_LIBRARY)
  message(STATUS "Bullet in double precision not found (libbullet-dev): built without")
  return()
endif()
set(CLEARANCE_BULLET_FOUND ON)
# By name, so that a static library can be linked on another machine.
set(CLEARANCE_BULLET_LIBRARIES BulletDynamics-float64 BulletCollision-float64 LinearMath-float64)
set(CLEARANCE_BULLET_PC " -lBulletDynamics-float64 -lBulletCollision-float64 -lLinearMath-float64")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/grasp/pile_world.cpp PROPERTIES
                            COMPILE_DEFINITIONS "CLEARANCE_WITH_BULLET=1;BT_USE_DOUBLE_PRECISION")
