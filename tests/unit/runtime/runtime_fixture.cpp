// SPDX-License-Identifier: Apache-2.0
// Opens what the runtime's tests share.
#include "tests/unit/runtime/runtime_fixture.h"

#include <dlfcn.h>
#include <stdexcept>

namespace warpwright::testing {

FakeCuda &fresh_fake() {
  void *library = dlopen(WARPWRIGHT_FAKE_CUDA, RTLD_NOW | RTLD_LOCAL);
  const auto state = library ? reinterpret_cast<decltype(&fakeCudaState)>(dlsym(library, "fakeCudaState")) : nullptr;
  if (!state) throw std::runtime_error(dlerror());
  FakeCuda &fake = *state();
  fake.~FakeCuda();
  return *new (&fake) FakeCuda;
}

OpenArchive::OpenArchive(const std::string &bytes) {
  write_bytes(scratch_.path("test.wwa"), bytes);
  ww_message_t message;
  if (wwArchiveOpen(scratch_.path("test.wwa").c_str(), &archive_, &message) != WW_STATUS_OK)
    throw std::runtime_error(message.text);
}

ww_operator_t *OpenArchive::op(const char *name) const {
  ww_operator_t *found = nullptr;
  ww_message_t message;
  if (wwArchiveFindOperator(archive_, name, &found, &message) != WW_STATUS_OK) throw std::runtime_error(message.text);
  return found;
}

OpenDriver::OpenDriver() {
  ww_message_t message;
  if (wwDriverOpen(WARPWRIGHT_FAKE_CUDA, &driver_, &message) != WW_STATUS_OK) throw std::runtime_error(message.text);
}

SmallLaunch::SmallLaunch(int64_t m)
    : variables{{"m", m}},
      buffers{{"x", fake_address(kX), static_cast<uint64_t>(m) * 512},
              {"scale", fake_address(kScale), 1024},
              {"y", fake_address(kY), 0}},
      launch{} {
  launch.struct_bytes = sizeof(launch);
  launch.variables = variables;
  launch.num_variables = 1;
  launch.buffers = buffers;
  launch.num_buffers = 3;
  launch.workspace = fake_address(kWorkspace);
  launch.workspace_bytes = uint64_t{1} << 40;
  launch.stream = reinterpret_cast<CUstream_st *>(kStream);
}

}  // namespace warpwright::testing
