# A room is a folder that is a library: kron_room(NAME FOLDER LINK public... PRIVATE_LINK private...).
# Its sources are the .cpp files of the folder (the program's main.cpp apart).
add_library(kron_options INTERFACE)
target_include_directories(kron_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kron>)
target_compile_features(kron_options INTERFACE cxx_std_20)
# Results must not depend on whether the compiler fuses a multiply and an add.
target_compile_options(kron_options INTERFACE $<BUILD_INTERFACE:-ffp-contract=off>)
if(KRON_SANITIZE)
  target_compile_options(kron_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kron_options INTERFACE -fsanitize=address,undefined LINKER:-u,__lsan_default_suppressions)
endif()
if(KRON_FUZZ)
  target_compile_options(kron_options INTERFACE -fsanitize=fuzzer-no-link)
endif()

add_library(kron_warnings INTERFACE)
target_compile_options(kron_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# False reports of g++ 12 about the inside of std::string, std::vector and std::optional, different ones at each optimisation level
# (GCC bugs 105651, 105329, 107852, 80635). The sanitizers of the preset `dev` look for the real cases.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kron_warnings INTERFACE -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread
                         -Wno-maybe-uninitialized)
endif()

# In a unity build a source is a header of the unit, so that every type that has a member of an unnamed namespace is reported.
if(KRON_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kron_warnings INTERFACE -Wno-subobject-linkage)
endif()

# The headers that most files include; number.hpp brings Boost.Multiprecision, half a second a file.
set(KRON_PCH_HEADERS <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional> <map> <memory> <optional> <span>
    <string> <string_view> <unordered_map> <vector> ${PROJECT_SOURCE_DIR}/engine/base/number.hpp)

# Precompiled headers of a target: its own, or those of one that is built with the same options (kron_precompile(TARGET [OTHER])).
function(kron_precompile target)
  if(NOT KRON_PCH)
    return()
  endif()
  if(ARGN)
    target_precompile_headers(${target} REUSE_FROM ${ARGN})
  else()
    target_precompile_headers(${target} PRIVATE ${KRON_PCH_HEADERS})
  endif()
endfunction()

# Unity builds: several sources of a target are one unit of the compiler.
function(kron_unite target)
  if(KRON_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
  endif()
endfunction()
# Sources that instantiate templates for every number type stay units of their own: they take long enough, and what one of them
# instantiates as a whole is told apart from what others instantiate by parts.
file(GLOB kron_own_units CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/engine/code/machine_*.cpp ${PROJECT_SOURCE_DIR}/engine/simulate/event_*.cpp
     ${PROJECT_SOURCE_DIR}/engine/simulate/precise.cpp)
set_source_files_properties(${kron_own_units} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

function(kron_room name folder)
  cmake_parse_arguments(R "" "" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_BINARY_DIR}/empty.cpp)
  endif()
  add_library(kron_${name} STATIC ${sources})
  set_target_properties(kron_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(kron_${name} PUBLIC kron_options ${R_LINK} PRIVATE $<BUILD_INTERFACE:kron_warnings> ${R_PRIVATE_LINK})
  if(name STREQUAL "base")
    kron_precompile(kron_base)
  else()
    kron_precompile(kron_${name} kron_base)
  endif()
  kron_unite(kron_${name})
endfunction()
