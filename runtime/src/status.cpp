// SPDX-License-Identifier: Apache-2.0
// Status texts and the message buffer.
#include "runtime/src/status.h"

#include <cstring>

namespace warpwright::runtime {

void write_message(ww_message_t *message, const char *text) noexcept {
  if (!message) return;
  size_t length = std::strlen(text);
  if (length >= sizeof(message->text)) {
    length = sizeof(message->text) - 1;
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  std::memcpy(message->text, text, length);
  message->text[length] = '\0';
}

}  // namespace warpwright::runtime

extern "C" uint32_t wwRuntimeVersion(void) { return WW_VERSION; }

extern "C" const char *wwStatusText(ww_status_t status) {
  switch (status) {
    case WW_STATUS_OK: return "ok";
    case WW_STATUS_INVALID_ARGUMENT: return "invalid argument";
    case WW_STATUS_NOT_FOUND: return "not found";
    case WW_STATUS_OUT_OF_MEMORY: return "out of memory";
    case WW_STATUS_INTERNAL: return "bug in the Warpwright runtime";
    case WW_STATUS_FILE_UNREADABLE: return "file unreadable";
    case WW_STATUS_NOT_AN_ARCHIVE: return "not a Warpwright archive";
    case WW_STATUS_UNSUPPORTED_VERSION: return "unsupported archive version";
    case WW_STATUS_CORRUPT_ARCHIVE: return "corrupt archive";
    case WW_STATUS_INVALID_RECIPE: return "invalid launch recipe";
    case WW_STATUS_UNBOUND_VARIABLE: return "unbound variable";
    case WW_STATUS_SHAPE_REFUSED: return "shape refused";
    case WW_STATUS_MISSING_TENSOR: return "missing tensor";
    case WW_STATUS_MISALIGNED_POINTER: return "misaligned pointer";
    case WW_STATUS_BUFFER_TOO_SMALL: return "buffer too small";
    case WW_STATUS_OVERLAPPING_TENSORS: return "overlapping tensors";
    case WW_STATUS_NOT_DEVICE_MEMORY: return "not device memory";
    case WW_STATUS_NO_DRIVER: return "no CUDA driver library";
    case WW_STATUS_DRIVER_TOO_OLD: return "CUDA driver too old";
    case WW_STATUS_NO_DEVICE: return "no CUDA device";
    case WW_STATUS_NO_CONTEXT: return "no current CUDA context";
    case WW_STATUS_UNSUPPORTED_DEVICE: return "unsupported device architecture";
    case WW_STATUS_CUDA_ERROR: return "CUDA error";
    case WW_STATUS_WRONG_DEVICE: return "wrong device";
    case WW_STATUS_NOT_LOADED: return "kernel not loaded before a capture";
  }
  return "unknown status";
}
