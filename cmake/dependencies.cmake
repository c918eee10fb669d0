# All dependencies are Debian packages; scripts/packages lists them. cmake/kron-config.cmake.in asks a consumer for the same ones.
find_package(PkgConfig REQUIRED)
find_package(pegtl 3.2 CONFIG REQUIRED)
find_package(Boost 1.74 REQUIRED)
pkg_check_modules(GINAC REQUIRED IMPORTED_TARGET ginac>=1.8)
find_package(SUNDIALS 6.4 REQUIRED COMPONENTS cvode ida kinsol nvecserial sunmatrixsparse sunlinsolklu sunlinsolspbcgs)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
pkg_check_modules(READLINE REQUIRED IMPORTED_TARGET readline)
pkg_check_modules(MATIO REQUIRED IMPORTED_TARGET matio)
# Machine code is made for x86-64; other machines, and builds without asmjit, interpret.
find_package(asmjit CONFIG QUIET)
if(asmjit_FOUND AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(KRON_MACHINE_CODE ON)
endif()
# readline asks for _DEFAULT_SOURCE and _XOPEN_SOURCE. g++ and clang++ always define _GNU_SOURCE, which implies both; defined on one
# room's command line they would make its precompiled header another one.
set_target_properties(PkgConfig::READLINE PROPERTIES INTERFACE_COMPILE_OPTIONS "" INTERFACE_COMPILE_DEFINITIONS "")

find_path(KLU_INCLUDE klu.h PATH_SUFFIXES suitesparse REQUIRED)
add_library(kron_klu INTERFACE)
target_include_directories(kron_klu SYSTEM INTERFACE $<BUILD_INTERFACE:${KLU_INCLUDE}>)
target_link_libraries(kron_klu INTERFACE klu amd colamd btf suitesparseconfig)

find_path(UDUNITS_INCLUDE udunits2.h REQUIRED)
add_library(kron_udunits INTERFACE)
target_include_directories(kron_udunits SYSTEM INTERFACE $<BUILD_INTERFACE:${UDUNITS_INCLUDE}>)
target_link_libraries(kron_udunits INTERFACE udunits2)

# ccache helps the many small rebuilds of a developer; precompiled headers are nothing for it.
find_program(CCACHE ccache)
if(CCACHE AND NOT KRON_PCH)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()
