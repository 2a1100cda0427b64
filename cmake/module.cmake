# clearance_module(NAME [PRIVATE lib...]): an object library of src/NAME/*.cpp.
# Third-party libraries are PRIVATE: they are used in .cpp files and absent from public headers.
set(CLEARANCE_MODULES "")
function(clearance_module name)
  cmake_parse_arguments(arg "" "" "PRIVATE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  add_library(clearance_${name} OBJECT ${sources})
  target_include_directories(clearance_${name} PUBLIC ${PROJECT_SOURCE_DIR}/include
                             PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(clearance_${name} PRIVATE clearance_flags ${arg_PRIVATE})
  set_property(GLOBAL APPEND PROPERTY CLEARANCE_MODULES ${name})
  set_property(GLOBAL APPEND PROPERTY CLEARANCE_PRIVATE_LIBRARIES ${arg_PRIVATE})
endfunction()

# clearance_library(): the library clearance (clearance::clearance) out of all modules.
function(clearance_library)
  get_property(modules GLOBAL PROPERTY CLEARANCE_MODULES)
  get_property(libraries GLOBAL PROPERTY CLEARANCE_PRIVATE_LIBRARIES)
  add_library(clearance)
  add_library(clearance::clearance ALIAS clearance)
  foreach(module IN LISTS modules)
    target_sources(clearance PRIVATE $<TARGET_OBJECTS:clearance_${module}>)
  endforeach()
  target_compile_features(clearance PUBLIC cxx_std_20)
  target_include_directories(clearance PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(clearance PRIVATE ${libraries} $<BUILD_INTERFACE:clearance_flags>)
  if(BUILD_SHARED_LIBS)
    target_link_options(clearance PRIVATE -Wl,-Bsymbolic-functions -Wl,--exclude-libs,ALL
                        -Wl,--as-needed)
  endif()
  set_target_properties(clearance PROPERTIES VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()
