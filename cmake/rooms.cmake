# A room is a folder that is a library: kron_room(NAME FOLDER LINK public... PRIVATE_LINK private...).
# Its sources are the .cpp files of the folder (the program's main.cpp apart).
add_library(kron_options INTERFACE)
target_include_directories(kron_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kron>)
target_compile_features(kron_options INTERFACE cxx_std_20)
add_library(kron_warnings INTERFACE)
target_compile_options(kron_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Werror)
# g++ 12 reports a false overlap inside std::string operator+ (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kron_warnings INTERFACE -Wno-restrict)
endif()
# Results must not depend on whether the compiler fuses a multiply and an add.
target_compile_options(kron_options INTERFACE -ffp-contract=off)
if(KRON_SANITIZE)
  target_compile_options(kron_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kron_options INTERFACE -fsanitize=address,undefined)
endif()

function(kron_room name folder)
  cmake_parse_arguments(R "" "" "LINK;PRIVATE_LINK" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  if(NOT sources)
    file(WRITE ${CMAKE_BINARY_DIR}/empty.cpp "")
    set(sources ${CMAKE_BINARY_DIR}/empty.cpp)
  endif()
  add_library(kron_${name} STATIC ${sources})
  target_link_libraries(kron_${name} PUBLIC kron_options ${R_LINK} PRIVATE $<BUILD_INTERFACE:kron_warnings> ${R_PRIVATE_LINK})
  set_property(GLOBAL APPEND PROPERTY KRON_ROOMS kron_${name})
endfunction()
