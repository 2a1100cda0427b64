# make install: the library with its CMake package and pkg-config file, the program with its
# completions, the JSON schemas and the licence. Everything is found relative to itself, so the
# installed tree may be moved.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS clearance EXPORT clearance-targets)
install(DIRECTORY include/clearance TYPE INCLUDE FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE TYPE DOC)
install(DIRECTORY schema DESTINATION ${CMAKE_INSTALL_DATADIR}/clearance
        FILES_MATCHING PATTERN "*.json")

# find_package(clearance), target clearance::clearance
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/clearance)
install(EXPORT clearance-targets NAMESPACE clearance:: DESTINATION ${package_folder})
configure_package_config_file(cmake/clearance-config.cmake.in ${PROJECT_BINARY_DIR}/clearance-config.cmake
                              INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/clearance-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/clearance-config.cmake
              ${PROJECT_BINARY_DIR}/clearance-config-version.cmake
        DESTINATION ${package_folder})

# pkg-config clearance
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/clearance.pc.in ${PROJECT_BINARY_DIR}/clearance.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/clearance.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(CLEARANCE_BUILD_CLI)
  file(RELATIVE_PATH libraries_from_program /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(clearance_program PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries_from_program}")
  install(TARGETS clearance_program RUNTIME)
  set(completions ${PROJECT_BINARY_DIR}/cli/completions)
  install(FILES ${completions}/clearance.bash RENAME clearance
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${completions}/clearance.zsh RENAME _clearance
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${completions}/clearance.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
