# cmake --install: headers, libraries, the program, and a package for find_package(logbook).
#
# The libraries install themselves (LogbookModule.cmake) into the export set logbookTargets. Since they
# are static, who links them needs what they need: the package finds the same dependencies as we do.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/logbook)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/logbookConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cmake/logbookConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what used the one before.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/logbookConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cmake/logbookConfig.cmake
              ${PROJECT_BINARY_DIR}/cmake/logbookConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/Dependencies.cmake
  DESTINATION ${package_dir})
install(EXPORT logbookTargets NAMESPACE logbook:: DESTINATION ${package_dir})
