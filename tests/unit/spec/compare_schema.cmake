# SPDX-License-Identifier: Apache-2.0
# Fails unless the committed schema equals what the tool prints; WARPWRIGHT_UPDATE_GOLDENS=1 rewrites it.
execute_process(COMMAND "${TOOL}" schema ${FAMILY} OUTPUT_VARIABLE printed RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "warpwright schema ${FAMILY} exits ${code}")
endif()
if("$ENV{WARPWRIGHT_UPDATE_GOLDENS}" STREQUAL "1")
  file(WRITE "${SCHEMA}" "${printed}")
endif()
set(stored "")
if(EXISTS "${SCHEMA}")
  file(READ "${SCHEMA}" stored)
endif()
if(NOT stored STREQUAL printed)
  message(FATAL_ERROR "${SCHEMA} is missing or differs from the field table; review and run:\n"
                      "  WARPWRIGHT_UPDATE_GOLDENS=1 ctest -R golden.schema")
endif()
