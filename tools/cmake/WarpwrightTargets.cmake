# SPDX-License-Identifier: Apache-2.0
# How every Warpwright library, tool and test is declared: one language level, one warning set, one test runner.

include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CCACHE_PROGRAM}")
endif()

# lld links the tool in a fraction of GNU ld's time.
find_program(WARPWRIGHT_LLD NAMES ld.lld-22 ld.lld PATHS /usr/lib/llvm-22/bin)
if(WARPWRIGHT_LLD)
  get_filename_component(_lld_dir "${WARPWRIGHT_LLD}" DIRECTORY)
  if(EXISTS "${_lld_dir}/ld.lld-22" AND NOT EXISTS "${CMAKE_BINARY_DIR}/lld/ld.lld")
    file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/lld")
    file(CREATE_LINK "${_lld_dir}/ld.lld-22" "${CMAKE_BINARY_DIR}/lld/ld.lld" SYMBOLIC)
  endif()
  add_link_options(-fuse-ld=lld "-B${CMAKE_BINARY_DIR}/lld" -Wl,--gc-sections)
endif()
add_compile_options(-ffunction-sections -fdata-sections)

if(WARPWRIGHT_SANITIZE)
  add_compile_options(-fsanitize=${WARPWRIGHT_SANITIZE} -fno-omit-frame-pointer -O1)
  add_link_options(-fsanitize=${WARPWRIGHT_SANITIZE})
endif()

# GCC 12 sees overlapping copies in std::string (GCC bug 105651): -Wrestrict is off.
set(WARPWRIGHT_WARNINGS -Wall -Wextra -Wshadow -Wno-missing-field-initializers -Wno-restrict)

# warpwright_add_library(<name> SOURCES file... [DEPENDS library...] [STRICT])
#   <name>   static library, aliased warpwright::<name>; includes are written from the repository's root
#            ("generator/plan/records.h"), from runtime/include, or from the build folder.
#   STRICT   -Wconversion, warnings are errors: for code whose arithmetic is the product (plan, archive, runtime).
function(warpwright_add_library name)
  cmake_parse_arguments(ARG "STRICT" "" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "warpwright_add_library(${name}): unknown arguments ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  add_library(${name} STATIC ${ARG_SOURCES})
  add_library(warpwright::${name} ALIAS ${name})
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}" "${CMAKE_SOURCE_DIR}/runtime/include"
                                            "${CMAKE_BINARY_DIR}")
  target_compile_options(${name} PRIVATE ${WARPWRIGHT_WARNINGS})
  if(ARG_STRICT)
    target_compile_options(${name} PRIVATE -Wconversion -Werror)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS})
endfunction()

# warpwright_add_test(<name> SOURCES file... LABEL layer [DEPENDS library...] [TIMEOUT seconds])
#   One Catch2 executable, built at -O1 with the shared precompiled header, one ctest entry `<label>.<name>`.
function(warpwright_add_test name)
  cmake_parse_arguments(ARG "" "LABEL;TIMEOUT" "SOURCES;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_LABEL OR NOT ARG_SOURCES)
    message(FATAL_ERROR "warpwright_add_test(${name}): needs SOURCES and LABEL; unknown: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_compile_options(${name} PRIVATE ${WARPWRIGHT_WARNINGS} -O1)
  target_link_libraries(${name} PRIVATE warpwright_test_main ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM warpwright_test_pch)
  target_compile_definitions(${name} PRIVATE WARPWRIGHT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${ARG_LABEL}.${name} COMMAND ${name} WORKING_DIRECTORY "${CMAKE_SOURCE_DIR}")
  set_tests_properties(${ARG_LABEL}.${name} PROPERTIES LABELS "${ARG_LABEL}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
