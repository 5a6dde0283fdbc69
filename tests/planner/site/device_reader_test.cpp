// SPDX-License-Identifier: Apache-2.0
#include "planner/site/device_reader.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using Catch::Contains;
using planner::read_device;

namespace {

const std::string kShort =
    "peak_tflops = { fp32 = 10 }\nmemory_gbs = 500\nmemory_gib = 8\npeer_gbs = 11\n";

}  // namespace

TEST_CASE("a device has the values and the name of its file") {
  const predict::Device device = read_device(
      "title = \"A card\"\npeer_latency_us = 5\ncontext_gib = 0.5\n" + kShort, "folder/card.toml");
  CHECK(device.name == "card");
  CHECK(device.title == "A card");
  CHECK(device.peak.at("fp32") == predict::teraflops(10));
  CHECK(device.memory_bandwidth == predict::gigabytes_per_s(500));
  CHECK(device.memory == 8 * predict::kGibibyte);
  CHECK(device.context == 0.5 * predict::kGibibyte);
  CHECK(device.peer.latency == predict::microseconds(5));
}

TEST_CASE("errors in a device file are reported with their location") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(read_device(text, "card.toml"), Contains(message));
    CHECK_THROWS_AS(read_device(text, "card.toml"), base::SpecError);
  };
  refused("memory_gbs = 1\n", "card.toml: peak_tflops: missing");
  refused(kShort + "memory = 3\n", "card.toml:5:1: memory: unknown key");
  refused("peak_tflops = { fp31 = 1 }\n", "peak_tflops.fp31: unknown precision \"fp31\"");
  refused("peak_tflops = { fp32 = -1 }\n", "card.toml:1:24: peak_tflops.fp32");
  refused("memory_gib = \"8\"\n", "card.toml:1:14: memory_gib");
}

TEST_CASE("every shipped device can be read and has a link and a peak") {
  const std::filesystem::path folder = DLSCALE_SOURCE_DIR "/share/devices";
  const auto names = planner::devices_in(folder);
  CHECK(names.size() >= 9);
  for (const std::string& name : names) {
    INFO(name);
    const predict::Device device = planner::find_device(name, folder);
    CHECK(device.peak.contains("fp32"));
    CHECK(device.peer.bandwidth.value > 1e9);
    CHECK(device.memory > 8 * predict::kGibibyte);
    CHECK_FALSE(device.match.empty());
  }
}

TEST_CASE("a device can be selected by a unique prefix of its name") {
  const std::filesystem::path folder = DLSCALE_SOURCE_DIR "/share/devices";
  CHECK(planner::find_device("h100", folder).name == "h100-sxm5-80gb");
  CHECK(planner::find_device("t4", folder).name == "t4");
  CHECK_THROWS_WITH(planner::find_device("a100", folder),
                    "ambiguous device \"a100\": a100-sxm4-40gb and a100-sxm4-80gb begin with this "
                    "text; name one of them");
  CHECK_THROWS_WITH(planner::find_device("h200", folder),
                    Contains("unknown device \"h200\"") && Contains("known: a100-sxm4-40gb"));
  CHECK_THROWS_AS(planner::find_device("100", folder), base::UsageError);
}
