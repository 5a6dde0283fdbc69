// SPDX-License-Identifier: Apache-2.0
#include "planner/jobs/data_folders.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using namespace dlscale::planner;

TEST_CASE("a device of the folder is read once for all partitions") {
  test::TempDir folder;
  std::filesystem::copy(DLSCALE_SOURCE_DIR "/share/devices/t4.toml", folder / "t4.toml");
  DeviceFolder devices(folder.path());
  Partition partition;
  partition.gpu = "t4";
  CHECK(devices.named("t4").title == "NVIDIA T4");
  CHECK_THROWS_AS(devices.named("h100-sxm5-80gb"), base::UsageError);
  std::filesystem::remove(folder / "t4.toml");
  CHECK(devices.gpu_of(&partition) == &devices.named("t4"));
}

TEST_CASE("no device is found without a folder, a partition or a GPU name") {
  Partition partition;
  partition.gpu = "t4";
  CHECK(DeviceFolder(std::nullopt).gpu_of(&partition) == nullptr);
  DeviceFolder devices(DLSCALE_SOURCE_DIR "/share/devices");
  CHECK(devices.gpu_of(nullptr) == nullptr);
  partition.gpu.clear();
  CHECK(devices.gpu_of(&partition) == nullptr);
}

TEST_CASE("a partition sets the GPUs per node and the link between nodes") {
  const predict::Device device{.name = "made", .peer = {{}, predict::gigabytes_per_s(7)}};
  Partition partition;
  partition.gpus_per_node = 4;
  partition.link_gbit_s = 100;
  predict::Hardware hardware = hardware_of(device, &partition);
  CHECK(hardware.device.name == "made");
  CHECK(hardware.gpus_per_node == 4);
  CHECK(hardware.network.inside.bandwidth.value == 7e9);
  CHECK(hardware.network.between.bandwidth.value == Approx(12.5e9));
  CHECK(hardware.network.between.latency.value == Approx(14e-6));
  partition.link_latency_us = 2;
  CHECK(hardware_of(device, &partition).network.between.latency.value == Approx(2e-6));
}

TEST_CASE("a single machine holds any number of GPUs and has no link between nodes") {
  const predict::Hardware hardware = hardware_of({}, nullptr);
  CHECK(predict::placement(1'000'000, hardware.gpus_per_node).nodes == 1);
  CHECK(hardware.network.between.bandwidth.value == 0);
}
