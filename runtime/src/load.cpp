// SPDX-License-Identifier: Apache-2.0
// Loads compiled kernels: once per driver and image, attributes once per device, code once per context.
#include "runtime/src/archive.h"
#include "runtime/src/cubin.h"
#include "runtime/src/image_choice.h"
#include "runtime/src/open_handles.h"

#include <algorithm>

using warpwright::runtime::Context;
using warpwright::runtime::Device;
using warpwright::runtime::Driver;
using warpwright::runtime::failure;
using warpwright::runtime::guarded;
using warpwright::runtime::LoadedImage;
using warpwright::runtime::Status;
namespace format = warpwright::format;

namespace {

/// Source: CUDA C++ Programming Guide 13.0, "Thread Block Clusters": 8 CTAs are portable, more must be allowed.
constexpr uint32_t kPortableClusterCtas = 8;

Status prepare_for_device(const Driver &driver, const format::Kernel &record, CUkernel kernel,
                          const Device &device) {
  const std::string name = "kernel " + record.name()->str();
  WW_RETURN_IF_FAILED(driver.check(
      driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                  static_cast<int>(record.dynamic_smem_bytes()), kernel, device.handle),
      name + ": " + std::to_string(record.dynamic_smem_bytes()) + " B of dynamic shared memory"));
  if (record.cluster_x() * record.cluster_y() * record.cluster_z() <= kPortableClusterCtas) return {};
  return driver.check(
      driver.cuKernelSetAttribute(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, kernel, device.handle),
      name + ": cluster of more than 8 CTAs");
}

/// Modules are loaded lazily by default, at the first launch in a context, which a stream capture forbids.
/// Source: CUDA Driver API 13.0, cuLibraryLoadData and cuFuncLoad.
Status place_in_current_context(const Driver &driver, const std::string &name, CUkernel kernel) {
  CUfunction function = nullptr;
  WW_RETURN_IF_FAILED(driver.check(driver.cuKernelGetFunction(&function, kernel), name + ": placing it in the context"));
  return driver.check(driver.cuFuncLoad(function), name + ": placing it in the context");
}

/// A driver that does not take the cubin compiles the PTX that it was made from.
/// Source: CUDA Driver API 13.0, cuLibraryLoadData: the code may be PTX, which ends with a 0.
Status load_ptx(const format::ArchiveView &view, uint32_t blob_index, const std::string &name, const Driver &driver,
                CUlibrary *library) {
  std::string problem;
  if (!view.check_blob(blob_index, &problem)) return failure(WW_STATUS_CORRUPT_ARCHIVE, name + ": " + problem);
  const format::BlobView blob = view.blob(blob_index);
  const std::string text(reinterpret_cast<const char *>(blob.bytes), blob.num_bytes);
  return driver.check(driver.cuLibraryLoadData(library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0),
                      name + ": loading its PTX, since the driver takes no cubin");
}

template <typename T>
bool has(const std::vector<T> &values, T value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

Status refuse_if_capturing(const Driver &driver, CUstream stream, const format::Kernel &kernel) {
  bool is_capturing = false;
  WW_RETURN_IF_FAILED(driver.is_capturing(stream, &is_capturing));
  if (!is_capturing) return {};
  return failure(WW_STATUS_NOT_LOADED, "kernel " + kernel.name()->str() +
                                           " is not loaded in this context and the stream is being captured: call "
                                           "wwOperatorLoad, with the context current, before the capture begins");
}

std::string list_archs(const format::Kernel &kernel) {
  std::string text;
  for (const format::Image *image : *kernel.images()) text += (text.empty() ? "" : ", ") + image->arch()->str();
  return text.empty() ? "none" : text;
}

}  // namespace

Status ww_operator_t::load_image(size_t kernel_index, size_t image_index, const std::shared_ptr<Driver> &driver,
                                 LoadedImage *loaded) {
  const format::Kernel &kernel_record = *program_.kernels()[kernel_index].record;
  const uint32_t blob_index = kernel_record.images()->Get(static_cast<uint32_t>(image_index))->cubin();
  const std::string name = "kernel " + kernel_record.name()->str();
  std::string problem;
  if (!archive->view.check_blob(blob_index, &problem))
    return failure(WW_STATUS_CORRUPT_ARCHIVE, name + ": " + problem);
  const format::BlobView blob = archive->view.blob(blob_index);
  if (!warpwright::runtime::is_complete_cubin(blob.bytes, blob.num_bytes))
    return failure(WW_STATUS_CORRUPT_ARCHIVE, name + ": the compiled form is not a complete cubin");
  LoadedImage fresh;
  fresh.driver = driver;
  fresh.image_index = static_cast<uint32_t>(image_index);
  const CUresult result = driver->cuLibraryLoadData(&fresh.library, blob.bytes, nullptr, nullptr, 0, nullptr, nullptr, 0);
  if (result == CUDA_ERROR_NO_BINARY_FOR_GPU)
    WW_RETURN_IF_FAILED(load_ptx(archive->view, kernel_record.images()->Get(static_cast<uint32_t>(image_index))->ptx(), name,
                                 *driver, &fresh.library));
  else WW_RETURN_IF_FAILED(driver->check(result, name + ": loading its cubin"));
  Status found = driver->check(driver->cuLibraryGetKernel(&fresh.kernel, fresh.library, kernel_record.name()->c_str()),
                               name + ": looking up its entry");
  if (found.ok()) *loaded = std::move(fresh);
  else driver->cuLibraryUnload(fresh.library);
  return found;
}

Status ww_operator_t::load(size_t kernel_index, const std::shared_ptr<Driver> &driver, const Device &device,
                           const Context *context, const CUstream *stream, CUkernel *kernel) {
  const format::Kernel &kernel_record = *program_.kernels()[kernel_index].record;
  const auto image_index = warpwright::runtime::choose_image(kernel_record, device.major, device.minor);
  if (!image_index)
    return failure(WW_STATUS_UNSUPPORTED_DEVICE,
                   "kernel " + kernel_record.name()->str() + " has images for " + list_archs(kernel_record) +
                       "; the device has compute capability " + std::to_string(device.major) + "." +
                       std::to_string(device.minor));
  const std::lock_guard<std::mutex> lock(mutex_);
  loaded_.resize(program_.kernels().size());
  auto &images = loaded_[kernel_index];
  auto place = std::find_if(images.begin(), images.end(), [&](const LoadedImage &image) {
    return image.driver == driver && image.image_index == *image_index;
  });
  const bool is_loaded = place != images.end();
  const bool is_ready = is_loaded && has(place->ready_devices, device.handle);
  const bool is_placed = !context || (is_ready && has(place->placed_contexts, context->id));
  if (is_ready && is_placed) {
    *kernel = place->kernel;
    return {};
  }
  if (stream) WW_RETURN_IF_FAILED(refuse_if_capturing(*driver, *stream, kernel_record));
  const warpwright::runtime::RelaxedCapture relaxed(*driver);
  if (!is_loaded) {
    images.reserve(images.size() + 1);
    LoadedImage fresh;
    WW_RETURN_IF_FAILED(load_image(kernel_index, *image_index, driver, &fresh));
    place = images.insert(images.end(), std::move(fresh));
  }
  if (!is_ready) {
    place->ready_devices.reserve(place->ready_devices.size() + 1);
    WW_RETURN_IF_FAILED(prepare_for_device(*driver, kernel_record, place->kernel, device));
    place->ready_devices.push_back(device.handle);
  }
  if (!is_placed) {
    place->placed_contexts.reserve(place->placed_contexts.size() + 1);
    WW_RETURN_IF_FAILED(place_in_current_context(*driver, "kernel " + kernel_record.name()->str(), place->kernel));
    place->placed_contexts.push_back(context->id);
  }
  *kernel = place->kernel;
  return {};
}

void ww_operator_t::unload() {
  // A driver that is shutting down refuses; there is nothing left to release then.
  for (auto &images : loaded_)
    for (LoadedImage &image : images) image.driver->cuLibraryUnload(image.library);
  loaded_.clear();
}

extern "C" ww_status_t wwDriverOpen(const char *path, ww_driver_t **driver, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!driver) return failure(WW_STATUS_INVALID_ARGUMENT, "driver is null");
    *driver = nullptr;
    auto opened = std::make_unique<ww_driver_t>();
    WW_RETURN_IF_FAILED(Driver::open(path, &opened->driver));
    *driver = opened.release();
    return {};
  });
}

extern "C" void wwDriverClose(ww_driver_t *driver) { delete driver; }

extern "C" ww_status_t wwDriverDescribeDevice(ww_driver_t *driver, int32_t device, ww_device_info_t *info,
                                              ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!driver || !info) return failure(WW_STATUS_INVALID_ARGUMENT, "driver or info is null");
    if (info->struct_bytes < sizeof(*info))
      return failure(WW_STATUS_INVALID_ARGUMENT, "info->struct_bytes is not set");
    Device found;
    WW_RETURN_IF_FAILED(driver->driver->device(device, &found));
    info->major = found.major;
    info->minor = found.minor;
    info->num_sms = found.num_sms;
    return {};
  });
}

extern "C" ww_status_t wwOperatorLoad(ww_operator_t *op, ww_driver_t *driver, int32_t device, ww_message_t *message) {
  return guarded(message, [&]() -> Status {
    if (!op || !driver) return failure(WW_STATUS_INVALID_ARGUMENT, "op or driver is null");
    WW_RETURN_IF_FAILED(warpwright::runtime::check_open(op));
    WW_RETURN_IF_FAILED(op->prepare());
    Device found;
    WW_RETURN_IF_FAILED(driver->driver->device(device, &found));
    Context current;
    const Status has_context = driver->driver->current_context(&current);
    if (!has_context.ok() && has_context.code != WW_STATUS_NO_CONTEXT) return has_context;
    const bool places = has_context.ok() && current.device.handle == found.handle;
    for (size_t i = 0; i < op->program().kernels().size(); ++i) {
      CUkernel kernel = nullptr;
      WW_RETURN_IF_FAILED(op->load(i, driver->driver, found, places ? &current : nullptr, nullptr, &kernel));
    }
    return {};
  });
}
