# The page of `clearance view`: viewer/ bundled by esbuild into the build folder, and from there into
# the program. Nothing is fetched here: tools/setup.sh runs `npm ci`. Without node or the packages the
# program is built all the same, and `view` says what is missing.
set(viewer_folder ${PROJECT_SOURCE_DIR}/viewer)
find_program(CLEARANCE_NODE node)
if(NOT CLEARANCE_NODE OR NOT EXISTS ${viewer_folder}/node_modules/esbuild OR NOT EXISTS ${viewer_folder}/node_modules/three)
  message(STATUS "The viewer's packages are not there (npm ci in viewer/): built without the viewer")
  return()
endif()

file(GLOB_RECURSE viewer_sources CONFIGURE_DEPENDS ${viewer_folder}/src/*.ts ${viewer_folder}/src/*.css)
set(viewer_output ${PROJECT_BINARY_DIR}/viewer)
add_custom_command(
  OUTPUT ${viewer_output}/viewer.js ${viewer_output}/viewer.css
  COMMAND ${CLEARANCE_NODE} ${viewer_folder}/build.mjs ${viewer_output}
  DEPENDS ${viewer_sources} ${viewer_folder}/build.mjs ${viewer_folder}/package-lock.json
  COMMENT "Bundling the viewer" VERBATIM)
add_custom_target(clearance_viewer DEPENDS ${viewer_output}/viewer.js ${viewer_output}/viewer.css)
add_dependencies(clearance_program clearance_viewer)
set_source_files_properties(view_bundle.cpp PROPERTIES
  COMPILE_DEFINITIONS "CLEARANCE_VIEWER_SCRIPT=\"${viewer_output}/viewer.js\";CLEARANCE_VIEWER_STYLE=\"${viewer_output}/viewer.css\""
  OBJECT_DEPENDS "${viewer_output}/viewer.js;${viewer_output}/viewer.css")
