// SPDX-License-Identifier: Apache-2.0
// The ABI's archive and operator handles.
#pragma once

#include "runtime/format/reader.h"
#include "runtime/src/driver.h"
#include "runtime/src/program.h"

#include <memory>
#include <mutex>
#include <vector>

namespace warpwright::runtime {

/// A file mapped for reading.
class Mapping {
 public:
  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping();

  /// Errors: FILE_UNREADABLE; NOT_AN_ARCHIVE for an empty file.
  Status open(const char *path);
  const uint8_t *bytes() const { return bytes_; }
  size_t num_bytes() const { return num_bytes_; }

 private:
  const uint8_t *bytes_ = nullptr;
  size_t num_bytes_ = 0;
};

/// One image of a kernel, loaded through one driver.
struct LoadedImage {
  std::shared_ptr<Driver> driver;
  uint32_t image_index = 0;
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  std::vector<CUdevice> ready_devices;  ///< where the kernel's attributes are set
  std::vector<unsigned long long> placed_contexts;  ///< ids of the contexts that have the kernel's code
};

}  // namespace warpwright::runtime

/// An operator of an open archive: its recipe, parsed at first use, and its loaded kernels.
struct ww_operator_t {
  ww_archive_t *archive = nullptr;
  const warpwright::format::Operator *record = nullptr;

  /// Parses the recipe once; later calls return the first result.
  warpwright::runtime::Status prepare() const;
  const warpwright::runtime::Program &program() const { return program_; }

  /// The kernel for `device`, ready to launch: loaded, allowed its resources, and placed in the context where `context` is not
  /// null. Nothing of that is done while `*stream` captures (where it is not null): NOT_LOADED.
  warpwright::runtime::Status load(size_t kernel_index, const std::shared_ptr<warpwright::runtime::Driver> &driver,
                                   const warpwright::runtime::Device &device, const warpwright::runtime::Context *context,
                                   const CUstream *stream, CUkernel *kernel);
  void unload();

 private:
  warpwright::runtime::Status load_image(size_t kernel_index, size_t image_index,
                                         const std::shared_ptr<warpwright::runtime::Driver> &driver,
                                         warpwright::runtime::LoadedImage *loaded);

  mutable std::once_flag is_prepared_;
  mutable warpwright::runtime::Status prepared_;
  mutable warpwright::runtime::Program program_;
  std::mutex mutex_;  ///< guards loaded_
  std::vector<std::vector<warpwright::runtime::LoadedImage>> loaded_;  ///< per kernel
};

struct ww_archive_t {
  warpwright::runtime::Mapping mapping;  ///< empty for an archive in memory
  warpwright::format::ArchiveView view;
  std::unique_ptr<ww_operator_t[]> operators;
  size_t num_operators = 0;
};
