// SPDX-License-Identifier: Apache-2.0
// What the runtime asks of libcuda, and what it refuses before asking.
#include "tests/catch.h"
#include "tests/unit/runtime/runtime_fixture.h"

#include <cstring>
#include <thread>

using namespace warpwright::testing;

namespace {

constexpr size_t kMapBytes = 128;

template <typename T>
T as(const std::vector<uint8_t> &bytes) {
  REQUIRE(bytes.size() == sizeof(T));
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The encode that made a tensor-map parameter.
const FakeEncode &map_of(const FakeCuda &fake, const std::vector<uint8_t> &param) {
  REQUIRE(param.size() == kMapBytes);
  uint64_t index = 0;
  std::memcpy(&index, param.data(), sizeof(index));
  return fake.encodes.at(index);
}

void expect_params(FakeCuda &fake) {
  fake.param_bytes = {{"op_small", {kMapBytes, kMapBytes, 8, 4}},
                      {"op_main", {kMapBytes, kMapBytes, 8, 4}},
                      {"op_combine", {8, 8, 4}}};
}

}  // namespace

TEST_CASE("launch: one kernel with its tensor maps, grid, shared memory and parameters") {
  FakeCuda &fake = fresh_fake();
  expect_params(fake);
  const OpenArchive archive(small_archive_bytes({"op", "other"}));
  const OpenDriver driver;
  SmallLaunch small(50);
  ww_message_t message;
  INFO(message.text);
  REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_OK);
  CHECK(message.text[0] == '\0');

  CHECK(fake.loads == std::vector<std::string>{"op_small for sm_100a"});
  CHECK(fake.attributes ==
        std::vector<FakeAttribute>{{"op_small", CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000, 0}});
  REQUIRE(fake.launches.size() == 1);
  const FakeLaunch &launch = fake.launches[0];
  CHECK(launch.kernel == "op_small");
  CHECK(launch.grid == std::array<uint32_t, 3>{4, 1, 1});  // ceil(50 / 16)
  CHECK(launch.block == std::array<uint32_t, 3>{224, 1, 1});
  CHECK(launch.smem_bytes == 100000);
  CHECK(launch.stream == reinterpret_cast<CUstream>(kStream));
  CHECK(launch.cluster == std::array<uint32_t, 3>{0, 0, 0});
  CHECK_FALSE(launch.is_dependent);
  CHECK(fake.memsets.empty());

  REQUIRE(launch.params.size() == 4);
  const FakeEncode &x = map_of(fake, launch.params[0]);
  CHECK(x.type == CU_TENSOR_MAP_DATA_TYPE_UINT8);
  CHECK(x.rank == 2);
  CHECK(x.address == fake_address(kX));
  CHECK(x.dims == std::vector<uint64_t>{512, 50});
  CHECK(x.strides_bytes == std::vector<uint64_t>{512});
  CHECK(x.box == std::vector<uint32_t>{128, 64});
  CHECK(x.element_strides == std::vector<uint32_t>{1, 1});
  CHECK(x.swizzle == CU_TENSOR_MAP_SWIZZLE_128B);
  CHECK(x.promotion == CU_TENSOR_MAP_L2_PROMOTION_L2_256B);
  CHECK(x.interleave == CU_TENSOR_MAP_INTERLEAVE_NONE);
  CHECK(x.fill == CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  const FakeEncode &y = map_of(fake, launch.params[1]);
  CHECK(y.type == CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  CHECK(y.address == fake_address(kY));
  CHECK(y.dims == std::vector<uint64_t>{256, 50, 1});
  CHECK(y.strides_bytes == std::vector<uint64_t>{512, 25600});
  CHECK(y.swizzle == CU_TENSOR_MAP_SWIZZLE_64B);
  CHECK(y.promotion == CU_TENSOR_MAP_L2_PROMOTION_NONE);
  CHECK(as<uintptr_t>(launch.params[2]) == kScale);
  CHECK(as<int32_t>(launch.params[3]) == 50);
}

TEST_CASE("launch: two kernels in order, with cluster, dependent launch and a cleared workspace") {
  FakeCuda &fake = fresh_fake();
  expect_params(fake);
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(1000);
  REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) == WW_STATUS_OK);
  REQUIRE(fake.launches.size() == 2);
  CHECK(fake.launches[0].kernel == "op_main");
  CHECK(fake.launches[0].grid == std::array<uint32_t, 3>{16, 1, 1});
  CHECK(fake.launches[0].cluster == std::array<uint32_t, 3>{2, 1, 1});
  CHECK(fake.launches[0].is_dependent);
  CHECK(fake.launches[1].kernel == "op_combine");
  CHECK(fake.launches[1].grid == std::array<uint32_t, 3>{8, 2, 1});
  CHECK_FALSE(fake.launches[1].is_dependent);
  CHECK(as<uintptr_t>(fake.launches[1].params[0]) == kWorkspace);
  CHECK(as<uintptr_t>(fake.launches[1].params[1]) == kY);
  CHECK(as<int32_t>(fake.launches[1].params[2]) == 8);
  REQUIRE(fake.memsets.size() == 1);
  CHECK(fake.memsets[0].address == kWorkspace);
  CHECK(fake.memsets[0].bytes == 1000 * 256 * 4);
  CHECK(fake.memsets[0].stream == reinterpret_cast<CUstream>(kStream));
}

TEST_CASE("launch: fewer multiprocessors on request") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  SmallLaunch small(4096);
  small.launch.num_sms = 9;
  REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) == WW_STATUS_OK);
  CHECK(fake.launches[0].grid[0] == 8);
  small.launch.num_sms = 149;
  ww_message_t message;
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(std::string(message.text) == "num_sms is 149; the device has 148");
}

TEST_CASE("launch: kernels are loaded once per image and prepared once per device") {
  FakeCuda &fake = fresh_fake();
  fake.devices = {{10, 0, 148}, {10, 0, 148}, {10, 3, 160}};
  {
    const OpenArchive archive(small_archive_bytes({"op"}));
    const OpenDriver driver;
    SmallLaunch small(50);
    for (const int device : {0, 1, 2, 0, 1, 2}) {
      fake.current_device = device;
      REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) == WW_STATUS_OK);
    }
    CHECK(fake.loads == std::vector<std::string>{"op_small for sm_100a", "op_small for sm_103a"});
    CHECK(fake.attributes.size() == 3);
    CHECK(fake.launches.size() == 6);
    CHECK(fake.unloads == 0);
  }
  CHECK(fake.unloads == 2);
}

TEST_CASE("load: every kernel ahead of the launches, also after the driver's handle was closed") {
  FakeCuda &fake = fresh_fake();
  {
    const OpenArchive archive(small_archive_bytes({"op"}));
    {
      const OpenDriver driver;
      REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, nullptr) == WW_STATUS_OK);
      CHECK(fake.loads.size() == 3);
      SmallLaunch small(1000);
      REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) == WW_STATUS_OK);
      CHECK(fake.loads.size() == 3);
      ww_message_t message;
      CHECK(wwOperatorLoad(archive.op("op"), driver.get(), 1, &message) == WW_STATUS_NO_DEVICE);
    }
  }
  CHECK(fake.unloads == 3);
}

TEST_CASE("load: kernels are placed in the current context if it is of that device") {
  FakeCuda &fake = fresh_fake();
  fake.devices = {{10, 0, 148}, {10, 0, 148}};
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  fake.current_device = -1;
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, nullptr) == WW_STATUS_OK);
  fake.current_device = 1;
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, nullptr) == WW_STATUS_OK);
  CHECK(fake.placed.empty());
  fake.current_device = 0;
  REQUIRE(wwOperatorLoad(archive.op("op"), driver.get(), 0, nullptr) == WW_STATUS_OK);
  CHECK(fake.placed == std::vector<std::string>{"op_small", "op_main", "op_combine"});
  CHECK(fake.loads.size() == 3);
}

TEST_CASE("launch: threads share an operator") {
  FakeCuda &fake = fresh_fake();
  expect_params(fake);
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 200; ++i) {
        SmallLaunch small(1 + (t * 200 + i) % 2000);
        if (wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, nullptr) != WW_STATUS_OK) ++failures;
      }
    });
  for (std::thread &thread : threads) thread.join();
  CHECK(failures == 0);
  CHECK(fake.loads.size() == 3);
  for (const FakeLaunch &launch : fake.launches) {
    if (launch.kernel == "op_combine") continue;
    const int32_t m = as<int32_t>(launch.params[3]);
    REQUIRE(map_of(fake, launch.params[0]).dims[1] == static_cast<uint64_t>(m));
  }
}

TEST_CASE("launch: misuse gives a status with text and launches nothing") {
  FakeCuda &fake = fresh_fake();
  const OpenArchive archive(small_archive_bytes({"op"}));
  const OpenDriver driver;
  ww_operator_t *op = archive.op("op");
  SmallLaunch small(1000);
  ww_launch_t &launch = small.launch;
  ww_message_t message;
  const auto expect = [&](ww_status_t status, const std::string &text) {
    const ww_status_t actual = wwOperatorLaunch(op, driver.get(), &launch, &message);
    INFO(message.text);
    CHECK(std::string(wwStatusText(actual)) == wwStatusText(status));
    CHECK(std::string(message.text).find(text) != std::string::npos);
    CHECK(fake.launches.empty());
    CHECK(fake.memsets.empty());
  };

  SECTION("null and unset arguments") {
    CHECK(wwOperatorLaunch(nullptr, driver.get(), &launch, &message) == WW_STATUS_INVALID_ARGUMENT);
    CHECK(wwOperatorLaunch(op, nullptr, &launch, &message) == WW_STATUS_INVALID_ARGUMENT);
    CHECK(wwOperatorLaunch(op, driver.get(), nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
    launch.struct_bytes = 0;
    expect(WW_STATUS_INVALID_ARGUMENT, "launch->struct_bytes is not set");
  }
  SECTION("null arrays") {
    launch.variables = nullptr;
    expect(WW_STATUS_INVALID_ARGUMENT, "variables is null");
    launch.variables = small.variables;
    launch.buffers = nullptr;
    expect(WW_STATUS_INVALID_ARGUMENT, "buffers is null");
  }
  SECTION("no context") {
    fake.current_device = -1;
    expect(WW_STATUS_NO_CONTEXT, "no CUDA context is current in this thread");
  }
  SECTION("unbound variable") {
    launch.num_variables = 0;
    expect(WW_STATUS_UNBOUND_VARIABLE, "operator op: variable m is not bound");
  }
  SECTION("unknown variable") {
    small.variables[0].name = "rows";
    expect(WW_STATUS_NOT_FOUND, "operator op has no variable rows; it has: m, k, n");
  }
  SECTION("null variable name") {
    small.variables[0].name = nullptr;
    expect(WW_STATUS_INVALID_ARGUMENT, "a variable's name is null");
  }
  SECTION("a variable bound twice, and a fixed one to another value") {
    ww_variable_t twice[] = {{"m", 1000}, {"m", 1000}};
    launch.variables = twice;
    launch.num_variables = 2;
    expect(WW_STATUS_INVALID_ARGUMENT, "variable m is bound twice");
    twice[1] = {"n", 512};
    expect(WW_STATUS_SHAPE_REFUSED, "operator op was built for n = 256, not 512");
  }
  SECTION("shape without a kernel") {
    small.variables[0].value = 4097;
    expect(WW_STATUS_SHAPE_REFUSED, "operator op has no kernel for m = 4097, k = 512, n = 256");
  }
  SECTION("shape that a kernel refuses") {
    small.variables[0].value = 0;
    expect(WW_STATUS_SHAPE_REFUSED, "kernel op_small requires \"m >= 1\"");
  }
  SECTION("missing and null tensors") {
    launch.num_buffers = 2;
    expect(WW_STATUS_MISSING_TENSOR, "operator op: tensor y is not given");
    launch.num_buffers = 3;
    small.buffers[1].pointer = nullptr;
    expect(WW_STATUS_MISSING_TENSOR, "operator op: tensor scale is null");
  }
  SECTION("unknown and repeated tensors") {
    small.buffers[1].tensor = "bias";
    expect(WW_STATUS_NOT_FOUND, "operator op has no tensor bias");
    small.buffers[1].tensor = "x";
    expect(WW_STATUS_INVALID_ARGUMENT, "tensor x is given twice");
    small.buffers[1].tensor = nullptr;
    expect(WW_STATUS_INVALID_ARGUMENT, "a buffer's tensor name is null");
  }
  SECTION("misaligned pointers") {
    small.buffers[0].pointer = fake_address(kX + 64);
    expect(WW_STATUS_MISALIGNED_POINTER, "the address of tensor x is not a multiple of 128");
    small.buffers[0].pointer = fake_address(kX);
    launch.workspace = fake_address(kWorkspace + 128);
    expect(WW_STATUS_MISALIGNED_POINTER, "the workspace's address is not a multiple of 256");
  }
  SECTION("small buffers") {
    small.buffers[0].num_bytes = 511999;
    expect(WW_STATUS_BUFFER_TOO_SMALL, "tensor x needs 512000 B; 511999 B were given");
    small.buffers[0].num_bytes = 512000;
    launch.workspace_bytes = 1023999;
    expect(WW_STATUS_BUFFER_TOO_SMALL, "operator op needs a workspace of 1024000 B; 1023999 B were given");
    launch.workspace = nullptr;
    expect(WW_STATUS_BUFFER_TOO_SMALL, "0 B were given");
  }
  SECTION("a device that no image suits") {
    fake.devices[0] = {9, 0, 132};
    expect(WW_STATUS_UNSUPPORTED_DEVICE,
           "kernel op_main has images for sm_100a, sm_103a; the device has compute capability 9.0");
  }
  SECTION("refusals of the driver are passed on with its words") {
    fake.load_result = CUDA_ERROR_INVALID_VALUE;
    expect(WW_STATUS_CUDA_ERROR,
           "kernel op_main: loading its cubin: CUDA_ERROR_INVALID_VALUE (as the test asked)");
    fake.load_result = CUDA_SUCCESS;
    fake.get_kernel_result = CUDA_ERROR_NOT_FOUND;
    expect(WW_STATUS_CUDA_ERROR, "kernel op_main: looking up its entry");
    CHECK(fake.unloads == 1);
    fake.get_kernel_result = CUDA_SUCCESS;
    fake.set_attribute_result = CUDA_ERROR_INVALID_VALUE;
    expect(WW_STATUS_CUDA_ERROR, "kernel op_main: 100000 B of dynamic shared memory");
    fake.set_attribute_result = CUDA_SUCCESS;
    fake.encode_result = CUDA_ERROR_INVALID_VALUE;
    expect(WW_STATUS_CUDA_ERROR, "map_x: CUDA_ERROR_INVALID_VALUE");
    fake.encode_result = CUDA_SUCCESS;
    fake.launch_result = CUDA_ERROR_INVALID_VALUE;
    CHECK(wwOperatorLaunch(op, driver.get(), &launch, &message) == WW_STATUS_CUDA_ERROR);
    CHECK(std::string(message.text).find("launching kernel op_main") == 0);
    fake.launch_result = CUDA_SUCCESS;
    CHECK(wwOperatorLaunch(op, driver.get(), &launch, &message) == WW_STATUS_OK);
  }
}

TEST_CASE("launch: a driver that takes no cubin is given the PTX") {
  FakeCuda &fake = fresh_fake();
  expect_params(fake);
  const OpenArchive archive(small_archive_bytes({"op", "other"}));
  const OpenDriver driver;
  SmallLaunch small(50);
  ww_message_t message;
  fake.load_cubin_result = CUDA_ERROR_NO_BINARY_FOR_GPU;
  SECTION("once, and as it is in the archive") {
    for (int i = 0; i < 2; ++i) REQUIRE(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_OK);
    CHECK(fake.loads == std::vector<std::string>{".version 9.0\n.target sm_100a\n// op_small\n"});
    CHECK(fake.launches.size() == 2);
  }
  SECTION("its refusal of the PTX is the message") {
    fake.load_result = CUDA_ERROR_INVALID_VALUE;
    fake.load_cubin_result = CUDA_SUCCESS;
    CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_CUDA_ERROR);
    CHECK(std::string(message.text).find("loading its cubin") != std::string::npos);
    fake.load_cubin_result = CUDA_ERROR_NO_BINARY_FOR_GPU;
    CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_CUDA_ERROR);
    CHECK(std::string(message.text).find("loading its PTX") != std::string::npos);
    CHECK(fake.loads.empty());
  }
}

TEST_CASE("launch: a damaged cubin is found when it is first loaded, not before") {
  FakeCuda &fake = fresh_fake();
  std::string bytes = small_archive_bytes({"op"});
  const size_t at = bytes.find("op_main for sm_100a");
  REQUIRE(at != std::string::npos);
  bytes[at] = 'O';
  const OpenArchive archive(bytes);
  const OpenDriver driver;
  ww_message_t message;
  SmallLaunch sound(50), damaged(1000);
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &sound.launch, &message) == WW_STATUS_OK);
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &damaged.launch, &message) == WW_STATUS_CORRUPT_ARCHIVE);
  CHECK(std::string(message.text).find("kernel op_main: blob") == 0);
  CHECK(fake.launches.size() == 1);
}

TEST_CASE("launch: strides and dims that a tensor map cannot have are refused by name") {
  FakeCuda &fake = fresh_fake();
  warpwright::archive::PackedOperator odd = small_operator("op");
  odd.plan.fixed_variables["k"] = 1000;  // rows of 1000 B
  const ScratchFolder scratch;
  warpwright::support::Diagnostics diagnostics;
  REQUIRE(warpwright::archive::write_archive(scratch.path("odd.wwa"), {odd}, diagnostics));
  const OpenArchive archive(read_bytes(scratch.path("odd.wwa")));
  const OpenDriver driver;
  ww_message_t message;
  SmallLaunch small(50);
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_BUFFER_TOO_SMALL);
  small.buffers[0].num_bytes = 0;
  CHECK(wwOperatorLaunch(archive.op("op"), driver.get(), &small.launch, &message) == WW_STATUS_SHAPE_REFUSED);
  CHECK(std::string(message.text) == "kernel op_small, map_x, stride 0 is 1000 B (\"k\"), not a multiple of 16");
  CHECK(fake.encodes.empty());
}
