# `cmake --install` gives bin/kron, share/kron/stdlib, include/kron/{engine,lang}, the static libraries of the rooms and a CMake
# package: find_package(kron REQUIRED), target_link_libraries(program PRIVATE kron::kron).
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/kron)

install(TARGETS kron RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY stdlib DESTINATION ${CMAKE_INSTALL_DATADIR}/kron FILES_MATCHING PATTERN "*.eq")
install(DIRECTORY engine lang DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kron FILES_MATCHING PATTERN "*.hpp" PATTERN "*.def")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set_target_properties(kron_library PROPERTIES EXPORT_NAME kron)
set_target_properties(kron_options PROPERTIES EXPORT_NAME options)
set_target_properties(kron_klu PROPERTIES EXPORT_NAME klu)
set_target_properties(kron_udunits PROPERTIES EXPORT_NAME udunits)
install(TARGETS kron_library kron_workspace kron_elaborate kron_syntax kron_session kron_simulate kron_solve kron_code kron_jit
                kron_structure kron_model kron_base kron_options kron_klu kron_udunits
        EXPORT kron-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kron-targets NAMESPACE kron:: DESTINATION ${package})
configure_package_config_file(cmake/kron-config.cmake.in ${CMAKE_BINARY_DIR}/kron-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kron-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kron-config.cmake ${CMAKE_BINARY_DIR}/kron-config-version.cmake DESTINATION ${package})
