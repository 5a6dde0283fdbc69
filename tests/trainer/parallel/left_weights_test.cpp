// SPDX-License-Identifier: Apache-2.0
// Tests of the weights that a complete run saves.
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/parallel/style_specs.hpp"
#include "tests/trainer/thread_launch.hpp"

using namespace dlscale;
using test::all;

namespace {

/// Returns a run that evaluates the mean of its parameters and saves the mean as weights.
contract::RunSpec leaving(contract::RunSpec spec) {
  spec.ema_decay = 0.5;
  spec.checkpoint.weights = true;
  return spec;
}

std::filesystem::path weights_of(const test::TempDir& folder, int launch = 1) {
  return contract::RunDir(folder.path()).launch(launch).weights();
}

std::string weights_left_by(const contract::RunSpec& spec) {
  test::TempDir folder;
  test::launch(spec, folder.path());
  return base::read_file(weights_of(folder));
}

}  // namespace

TEST_CASE("every style saves the same weights as one rank") {
  const std::string alone = weights_left_by(leaving(test::style_spec("ddp", 1)));
  REQUIRE(alone.size() > 8);
  std::uint64_t header = 0;  // length of the file's header, little-endian
  std::memcpy(&header, alone.data(), sizeof header);
  const std::size_t begin = sizeof header + header;
  for (const auto& spec : test::style_specs(2)) {
    INFO(spec.framework << " of stage " << spec.framework_options.zero_stage);
    const std::string found = weights_left_by(leaving(spec));
    REQUIRE(found.substr(0, begin) == alone.substr(0, begin));
    CHECK(test::largest_difference(found.substr(begin), alone.substr(begin)) < 1e-10);
  }
}

TEST_CASE("the saved weights are those of the last evaluation") {
  test::TempDir folder;
  auto spec = leaving(test::style_spec("ddp", 1));
  const auto first = test::launch(spec, folder.path());
  spec.weights = weights_of(folder).string();
  spec.lr = {.base = 0, .peak = 0};
  const auto again = test::run(spec);
  CHECK(all<contract::EvalRecord>(again.records).back().loss ==
        Approx(all<contract::EvalRecord>(first.records).back().loss).epsilon(1e-14));
}

TEST_CASE("a run that is incomplete or without checkpoint.weights saves no weights") {
  test::TempDir folder;
  auto spec = leaving(test::style_spec("ddp", 2));
  spec.checkpoint.weights = false;
  test::launch(spec, folder.path());
  CHECK_FALSE(std::filesystem::exists(weights_of(folder)));
  spec.checkpoint.weights = true;
  test::launch(spec, folder.path(), {.rank = 0, .question = 1});
  CHECK_FALSE(std::filesystem::exists(weights_of(folder, 2)));
  test::launch(spec, folder.path());
  CHECK(std::filesystem::exists(weights_of(folder, 3)));
}

TEST_CASE("weights that cannot be written fail the run on all ranks and name the file") {
  test::TempDir folder;
  const auto spec = leaving(test::style_spec("ddp", 2));
  const auto in_the_way = [](const contract::LaunchDir& launch) {
    std::filesystem::create_directories(launch.weights() / "in the way");
  };
  CHECK_THROWS_WITH(test::launch(spec, folder.path(), {.prepare = in_the_way}),
                    Catch::Contains("model.safetensors"));
}
