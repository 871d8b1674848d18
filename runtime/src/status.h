// SPDX-License-Identifier: Apache-2.0
// A status with its sentence, and the border where exceptions end.
#pragma once

#include "warpwright/warpwright.h"

#include <new>
#include <string>
#include <utility>

namespace warpwright::runtime {

/// What a step of the runtime came to.
struct [[nodiscard]] Status {
  ww_status_t code = WW_STATUS_OK;
  std::string text;
  bool ok() const { return code == WW_STATUS_OK; }
};

inline Status failure(ww_status_t code, std::string text) { return {code, std::move(text)}; }

/// Writes `text` into `message`, cut at a UTF-8 character border if need be. `message` may be null.
void write_message(ww_message_t *message, const char *text) noexcept;

/// Runs the body of an ABI function: no exception leaves, the message is always written.
template <typename Body>
ww_status_t guarded(ww_message_t *message, Body &&body) noexcept {
  write_message(message, "");
  try {
    const Status status = body();
    write_message(message, status.text.c_str());
    return status.code;
  } catch (const std::bad_alloc &) {
    write_message(message, "out of memory");
    return WW_STATUS_OUT_OF_MEMORY;
  } catch (...) {
    write_message(message, "unexpected exception: this is a bug in the Warpwright runtime");
    return WW_STATUS_INTERNAL;
  }
}

#define WW_RETURN_IF_FAILED(expression)                                       \
  do {                                                                        \
    if (::warpwright::runtime::Status status_ = (expression); !status_.ok()) \
      return status_;                                                         \
  } while (false)

}  // namespace warpwright::runtime
