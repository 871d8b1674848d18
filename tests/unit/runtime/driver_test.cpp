// SPDX-License-Identifier: Apache-2.0
// Finding libcuda: absent, too old, without a device, refusing.
#include "tests/catch.h"
#include "tests/unit/runtime/runtime_fixture.h"

#include <cstdlib>

using namespace warpwright::testing;

namespace {

ww_status_t open_and_close(const char *path, std::string *text) {
  ww_driver_t *driver = nullptr;
  ww_message_t message;
  const ww_status_t status = wwDriverOpen(path, &driver, &message);
  CHECK((driver != nullptr) == (status == WW_STATUS_OK));
  wwDriverClose(driver);
  *text = message.text;
  return status;
}

}  // namespace

TEST_CASE("driver: no library") {
  std::string text;
  CHECK(open_and_close("/no/such/libcuda.so.1", &text) == WW_STATUS_NO_DRIVER);
  CHECK(text.find("no CUDA driver: /no/such/libcuda.so.1") == 0);
}

TEST_CASE("driver: a library that lacks a function is named with its CUDA version") {
  std::string text;
  CHECK(open_and_close(WARPWRIGHT_FAKE_OLD_CUDA, &text) == WW_STATUS_DRIVER_TOO_OLD);
  CHECK(text == "driver too old: missing cuLibraryLoadData (the driver supports CUDA 13.0, the runtime needs CUDA 12.4)");
}

TEST_CASE("driver: the environment names another library; an explicit path wins") {
  fresh_fake();
  std::string text;
  setenv("WARPWRIGHT_LIBCUDA", WARPWRIGHT_FAKE_CUDA, 1);
  CHECK(open_and_close(nullptr, &text) == WW_STATUS_OK);
  CHECK(open_and_close("/no/such/libcuda.so.1", &text) == WW_STATUS_NO_DRIVER);
  setenv("WARPWRIGHT_LIBCUDA", "/no/such/file", 1);
  CHECK(open_and_close(nullptr, &text) == WW_STATUS_NO_DRIVER);
  CHECK(text.find("/no/such/file") != std::string::npos);
  unsetenv("WARPWRIGHT_LIBCUDA");
}

TEST_CASE("driver: no device, and a driver that does not start") {
  FakeCuda &fake = fresh_fake();
  std::string text;
  fake.init_result = CUDA_ERROR_NO_DEVICE;
  CHECK(open_and_close(WARPWRIGHT_FAKE_CUDA, &text) == WW_STATUS_NO_DEVICE);
  fake.init_result = CUDA_ERROR_SYSTEM_NOT_READY;
  CHECK(open_and_close(WARPWRIGHT_FAKE_CUDA, &text) == WW_STATUS_CUDA_ERROR);
  CHECK(text == "cuInit: CUDA_ERROR_FAKE (as the test asked)");
  fake.init_result = CUDA_SUCCESS;
  fake.devices.clear();
  CHECK(open_and_close(WARPWRIGHT_FAKE_CUDA, &text) == WW_STATUS_NO_DEVICE);
}

TEST_CASE("driver: what a device is") {
  FakeCuda &fake = fresh_fake();
  fake.devices = {{10, 0, 148}, {9, 0, 132}};
  const OpenDriver driver;
  ww_device_info_t info = {};
  ww_message_t message;
  CHECK(wwDriverDescribeDevice(driver.get(), 1, &info, &message) == WW_STATUS_INVALID_ARGUMENT);
  info.struct_bytes = sizeof(info);
  REQUIRE(wwDriverDescribeDevice(driver.get(), 1, &info, &message) == WW_STATUS_OK);
  CHECK(info.major == 9);
  CHECK(info.minor == 0);
  CHECK(info.num_sms == 132);
  CHECK(wwDriverDescribeDevice(driver.get(), 2, &info, &message) == WW_STATUS_NO_DEVICE);
  CHECK(wwDriverDescribeDevice(nullptr, 0, &info, &message) == WW_STATUS_INVALID_ARGUMENT);
  CHECK(wwDriverOpen(WARPWRIGHT_FAKE_CUDA, nullptr, &message) == WW_STATUS_INVALID_ARGUMENT);
  wwDriverClose(nullptr);
}
