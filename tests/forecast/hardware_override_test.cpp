// SPDX-License-Identifier: Apache-2.0
#include "forecast/hardware_override.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace dlscale;
using forecast::read_hardware_override;
using forecast::read_sweeps;

TEST_CASE("quantities are read in common units") {
  const forecast::HardwareOverride what =
      read_hardware_override({"link=400Gbps,gpu=h100-sxm5-80gb", "latency=2us", "peak=100TFLOPS",
                              "memory=2TB/s", "capacity=16GiB", "context=150MiB"});
  CHECK(what.gpu == "h100-sxm5-80gb");
  CHECK(what.link == predict::gigabytes_per_s(50));
  CHECK(what.latency->value == Approx(2e-6));
  CHECK(what.peak == predict::teraflops(100));
  CHECK(what.memory == predict::gigabytes_per_s(2000));
  CHECK(*what.capacity == 16 * predict::kGibibyte);
  CHECK(*what.context == 150 * predict::kMebibyte);
  CHECK(read_hardware_override({"link=50GB/s"}).link ==
        read_hardware_override({"link=400Gbit/s"}).link);
  CHECK(override_text(what) ==
        "gpu h100-sxm5-80gb, link 400 Gbit/s, latency 2 us, peak 100 TFLOP/s, memory 2000 GB/s, "
        "capacity 16 GiB, context 150 MiB");
  CHECK(override_text(forecast::HardwareOverride{}).empty());
}

TEST_CASE("malformed quantities are rejected") {
  for (const char* wrong :
       {"link", "link=", "link=400", "link=-1Gbps", "link=fastGbps", "link=400Gbpss", "latency=2s",
        "gpu=", "links=1Gbps", "", "peak=nanTFLOPS", "context=150"}) {
    INFO(wrong);
    CHECK_THROWS_AS(read_hardware_override({wrong}), base::UsageError);
  }
  CHECK_THROWS_WITH(read_hardware_override({"lnk=1Gbps"}),
                    Catch::Contains("did you mean \"link\""));
}

TEST_CASE("a sweep has default values unless values are given") {
  CHECK(read_sweeps({"all"}).size() == 5);
  const auto with_values = read_sweeps({"all", "link=1,10"});
  REQUIRE(with_values.size() == 5);  // for each name, only the value that was given last
  CHECK(with_values[1].name == "memory");
  CHECK(with_values[2].name == "link");
  CHECK(with_values[2].values == std::vector<double>{1, 10});
  const auto sweeps = read_sweeps({"link=100,1,10", "batch"});
  REQUIRE(sweeps.size() == 2);
  CHECK(sweeps[0].values == std::vector<double>{1, 10, 100});
  CHECK(sweeps[1].values.size() > 2);
  for (const char* wrong :
       {"links", "link=", "link=1,", "link=0", "gpus=1.5", "batch=-2", "memory=fast", "memory=0"}) {
    INFO(wrong);
    CHECK_THROWS_AS(read_sweeps({wrong}), base::UsageError);
  }
}
