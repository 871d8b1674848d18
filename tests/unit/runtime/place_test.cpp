// SPDX-License-Identifier: Apache-2.0
// Where a launch may happen: contexts, streams, captures, memory; and calls that are prepared once.
#include "tests/catch.h"
#include "tests/unit/runtime/runtime_fixture.h"

#include "warpwright/warpwright.hpp"

#include <algorithm>
#include <memory>

using namespace warpwright::testing;

namespace {

struct CallDestroy {
  void operator()(ww_call_t *call) const { wwCallDestroy(call); }
};
using Call = std::unique_ptr<ww_call_t, CallDestroy>;

Call make_call(ww_operator_t *op, ww_driver_t *driver, const ww_launch_t &launch) {
  ww_call_t *call = nullptr;
  ww_message_t message;
  const ww_status_t status = wwCallCreate(op, driver, &launch, &call, &message);
  INFO(message.text);
  REQUIRE(status == WW_STATUS_OK);
  return Call(call);
}

}  // namespace

TEST_CASE("place: memory that a kernel must not use is refused by name") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(1000);
  ww_message_t message;
  const auto expect = [&](ww_status_t status, const std::string &text) {
    const ww_status_t actual = wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message);
    CHECK(std::string(wwStatusText(actual)) == wwStatusText(status));
    CHECK(std::string(message.text).find(text) != std::string::npos);
    CHECK(fake.launches.empty());
    CHECK(fake.memsets.empty());
    CHECK(fake.loads.empty());
  };
  SECTION("host memory") {
    fake.pointers[kX] = {CUmemorytype(0), 0};
    expect(WW_STATUS_NOT_DEVICE_MEMORY, "tensor x is not in device memory: CUDA does not know its address");
    fake.pointers[kX] = {CU_MEMORYTYPE_HOST, 0};
    expect(WW_STATUS_NOT_DEVICE_MEMORY, "tensor x is not in device memory: it is pinned host memory");
  }
  SECTION("a workspace in host memory") {
    fake.pointers[kWorkspace] = {CUmemorytype(0), 0};
    expect(WW_STATUS_NOT_DEVICE_MEMORY, "the workspace is not in device memory");
  }
  SECTION("another device's memory") {
    fake.pointers[kY] = {CU_MEMORYTYPE_DEVICE, 3};
    expect(WW_STATUS_WRONG_DEVICE, "tensor y is on device 3; the launch is on device 0");
  }
  SECTION("an output that shares bytes with an input, another with the workspace") {
    small.buffers[2].pointer = fake_address(kX + 511984);
    expect(WW_STATUS_OVERLAPPING_TENSORS, "operator op: tensor y shares bytes with tensor x, and one of them is written");
    small.buffers[2].pointer = fake_address(kX - 512000 + 16);
    expect(WW_STATUS_OVERLAPPING_TENSORS, "tensor y shares bytes with tensor x");
    small.buffers[2].pointer = fake_address(kWorkspace + 1023984);
    expect(WW_STATUS_OVERLAPPING_TENSORS, "operator op: the workspace shares bytes with tensor y");
  }
  SECTION("a stream of another context") {
    fake.devices = {{10, 0, 148}, {10, 0, 148}};
    fake.stream_device = 1;
    expect(WW_STATUS_WRONG_DEVICE, "the stream belongs to another CUDA context than the one of device 0");
  }
}

TEST_CASE("place: what only looks wrong is launched") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(1000);
  ww_message_t message;
  SECTION("neighbours without a gap") { small.buffers[2].pointer = fake_address(kX + 512000); }
  SECTION("inputs that share bytes") { small.buffers[1].pointer = fake_address(kX + 4); }
  SECTION("managed memory, wherever it is") { fake.pointers[kX] = {CU_MEMORYTYPE_UNIFIED, 7}; }
  SECTION("a default stream, whatever the streams' context") {
    fake.stream_device = 5;
    small.launch.stream = CU_STREAM_PER_THREAD;
  }
  const ww_status_t status = wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message);
  INFO(message.text);
  CHECK(status == WW_STATUS_OK);
  CHECK(fake.launches.size() == 2);
}

TEST_CASE("place: a capture records launches of loaded kernels and refuses others") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(1000);
  ww_message_t message;
  fake.is_capturing = true;
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_NOT_LOADED);
  CHECK(std::string(message.text) ==
        "kernel op_main is not loaded in this context and the stream is being captured: call wwOperatorLoad, with the "
        "context current, before the capture begins");
  CHECK(fake.loads.empty());
  CHECK(fake.placed.empty());
  CHECK(fake.memsets.empty());

  // Loaded for the device, yet in no context: the driver would place the code at the first launch.
  fake.is_capturing = false;
  fake.current_device = -1;
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, &message) == WW_STATUS_OK);
  fake.current_device = 0;
  fake.is_capturing = true;
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_NOT_LOADED);

  fake.is_capturing = false;
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, &message) == WW_STATUS_OK);
  fake.is_capturing = true;
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_OK);
  CHECK(fake.launches.size() == 2);
  CHECK(fake.memsets.size() == 1);
  CHECK(fake.loads.size() == 3);
}

TEST_CASE("place: loading disturbs no capture of another thread") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(50);
  REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) == WW_STATUS_OK);
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, nullptr) == WW_STATUS_OK);
  CHECK(fake.loads.size() == 3);
  CHECK(fake.placed.size() == 3);
  CHECK(fake.loads_in_strict_mode == 0);
}

TEST_CASE("place: kernels are placed once in each context, and again in one that is made anew") {
  FakeCuda &fake = fresh_fake();
  fake.devices = {{10, 0, 148}, {10, 0, 148}};
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(50);
  const auto launch = [&] { return wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr); };
  for (const int device : {0, 1, 0, 1}) {
    fake.current_device = device;
    REQUIRE(launch() == WW_STATUS_OK);
  }
  CHECK(fake.placed.size() == 2);
  fake.context_epoch = 1;
  fake.is_capturing = true;
  CHECK(launch() == WW_STATUS_NOT_LOADED);
  fake.is_capturing = false;
  REQUIRE(launch() == WW_STATUS_OK);
  CHECK(fake.placed.size() == 3);
  CHECK(fake.loads.size() == 1);
}

TEST_CASE("call: prepared once, launched into any stream of its context") {
  FakeCuda &fake = fresh_fake();
  fake.devices = {{10, 0, 148}, {10, 0, 148}};
  fake.param_bytes = {{"op_combine", {8, 8, 4}}};
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  Call call;
  {
    SmallLaunch small(1000);
    call = make_call(archive.op("op"), driver.get(), small.launch);
    small = SmallLaunch(1);  // the arrays are not needed any more
  }
  CHECK(fake.launches.empty());
  const size_t encodes = fake.encodes.size();
  ww_message_t message;
  for (const uintptr_t stream : {0x60, 0x70}) {
    REQUIRE(wwCallLaunch(call.get(), reinterpret_cast<CUstream>(stream), &message) == WW_STATUS_OK);
    CHECK(fake.launches.back().stream == reinterpret_cast<CUstream>(stream));
    CHECK(fake.memsets.back().stream == reinterpret_cast<CUstream>(stream));
    CHECK(fake.launches.back().params.at(1).size() == 8);
  }
  CHECK(fake.launches.size() == 4);
  CHECK(fake.encodes.size() == encodes);

  fake.current_device = 1;
  CHECK(wwCallLaunch(call.get(), nullptr, &message) == WW_STATUS_WRONG_DEVICE);
  CHECK(std::string(message.text) ==
        "operator op: the call was made for another CUDA context, one of device 0; the current one is of device 1");
  fake.current_device = 0;
  fake.stream_device = 1;
  CHECK(wwCallLaunch(call.get(), reinterpret_cast<CUstream>(0x60), &message) == WW_STATUS_WRONG_DEVICE);
  fake.current_device = -1;
  CHECK(wwCallLaunch(call.get(), nullptr, &message) == WW_STATUS_NO_CONTEXT);
  CHECK(fake.launches.size() == 4);
  fake.current_device = 0;
  fake.launch_result = CUDA_ERROR_INVALID_VALUE;
  CHECK(wwCallLaunch(call.get(), nullptr, &message) == WW_STATUS_CUDA_ERROR);
}

TEST_CASE("call: misuse is refused when it is made") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(1000);
  ww_message_t message;
  ww_call_t *call = reinterpret_cast<ww_call_t *>(1);
  small.launch.num_buffers = 2;
  CHECK(wwCallCreate(archive.op("op"), driver.get(), &small.launch, &call, &message) == WW_STATUS_MISSING_TENSOR);
  CHECK(call == nullptr);
  CHECK(wwCallCreate(archive.op("op"), driver.get(), &small.launch, nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwCallCreate(nullptr, driver.get(), &small.launch, &call, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwCallLaunch(nullptr, nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
  wwCallDestroy(nullptr);
  CHECK(fake.launches.empty());
}

TEST_CASE("call: the C++ face") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  warpwright::Driver driver;
  REQUIRE(driver.open(WARPWRIGHT_FAKE_CUDA));
  const warpwright::Operator op(archive.op("op"));
  SmallLaunch small(50);
  warpwright::Call call;
  const std::vector<ww_buffer_t> buffers(small.buffers, small.buffers + 3);
  REQUIRE(op.prepare(driver, {{"m", 50}}, buffers, &call));
  CHECK(fake.launches.empty());
  REQUIRE(call.launch(reinterpret_cast<CUstream>(kStream)));
  CHECK(fake.launches.size() == 1);
  const warpwright::Result refused = op.prepare(driver, {}, buffers, &call);
  CHECK(refused.status() == WW_STATUS_UNBOUND_VARIABLE);
  CHECK(call.launch(nullptr).status() == WW_STATUS_INVALID_ARGUMENT);
}

TEST_CASE("handles: those of a closed archive are refused, and closing twice does nothing") {
  FakeCuda &fake = fresh_fake();
  const OpenDriver driver;
  const std::string bytes = small_archive_bytes({"op"});
  std::vector<uint64_t> memory(bytes.size() / 8 + 1);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(memory.data()));
  ww_archive_t *archive = nullptr;
  ww_operator_t *op = nullptr;
  ww_message_t message;
  REQUIRE(wwArchiveOpenMemory(memory.data(), bytes.size(), &archive, &message) == WW_STATUS_OK);
  REQUIRE(wwArchiveFindOperator(archive, "op", &op, &message) == WW_STATUS_OK);
  SmallLaunch small(50);
  const Call call = make_call(op, driver.get(), small.launch);
  wwArchiveClose(archive);
  CHECK(fake.unloads == 1);
  wwArchiveClose(archive);
  CHECK(fake.unloads == 1);
  const auto is_refused = [&](ww_status_t status) {
    return status == WW_STATUS_INVALID_ARGUMENT &&
           std::string(message.text) == "the handle is of no open archive: closed, or never opened";
  };
  ww_operator_info_t info = {};
  info.struct_bytes = sizeof(info);
  uint64_t num_bytes = 0;
  size_t count = 0;
  ww_operator_t *found = nullptr;
  const char *key = nullptr, *value = nullptr;
  CHECK(is_refused(wwOperatorLaunch(op, driver.get(), &small.launch, &message)));
  CHECK(is_refused(wwOperatorLoad(op, driver.get(), 0, &message)));
  CHECK(is_refused(wwCallLaunch(call.get(), nullptr, &message)));
  CHECK(is_refused(wwOperatorDescribe(op, &info, &message)));
  CHECK(is_refused(wwOperatorGetFact(op, 0, &key, &value, &message)));
  CHECK(is_refused(wwOperatorMeasureWorkspace(op, small.variables, 1, 148, &num_bytes, &message)));
  CHECK(is_refused(wwOperatorMeasureTensor(op, "x", small.variables, 1, nullptr, 0, &count, &num_bytes, &message)));
  CHECK(is_refused(wwOperatorChooseKernels(op, small.variables, 1, 148, nullptr, 0, &count, &message)));
  CHECK(is_refused(wwArchiveVerify(archive, &message)));
  CHECK(is_refused(wwArchiveGetOperator(archive, 0, &found, &message)));
  CHECK(is_refused(wwArchiveFindOperator(archive, "op", &found, &message)));
  CHECK(wwArchiveCountOperators(archive) == 0);
  CHECK(fake.launches.empty());
}
