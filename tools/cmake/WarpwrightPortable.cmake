# SPDX-License-Identifier: Apache-2.0
# A tool that needs nothing but glibc, and holds no path of the machine that built it.

# Debian has fmt as a shared library only, so a portable tool compiles it in.
find_path(WARPWRIGHT_FMT_INCLUDE fmt/format.h REQUIRED)
add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
target_include_directories(fmt::fmt SYSTEM INTERFACE "${WARPWRIGHT_FMT_INCLUDE}")
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)

add_compile_options("-ffile-prefix-map=${CMAKE_SOURCE_DIR}/=" "-ffile-prefix-map=${CMAKE_BINARY_DIR}/=build/")
add_link_options(-static-libstdc++ -static-libgcc -Wl,-s)
