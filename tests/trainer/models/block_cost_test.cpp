// SPDX-License-Identifier: Apache-2.0
#include "trainer/models/block_cost.hpp"

#include <catch2/catch.hpp>
#include <string_view>

#include "tests/trainer/models/made_model.hpp"

using namespace dlscale;
using trainer::BlockCost;
using Shape = std::vector<std::int64_t>;

namespace {

std::vector<BlockCost> costs_of(const char* model, const trainer::ImageShape& input) {
  return trainer::measure_blocks(*test::make_model(model, test::model_context(input, 10)),
                                 {input.channels, input.height, input.width});
}

}  // namespace

TEST_CASE("a linear layer costs one multiply-add per weight") {
  const auto costs = costs_of("mlp", {1, 28, 28});
  REQUIRE(costs.size() == 3);
  CHECK(costs[0].multiply_adds == 784 * 512);
  CHECK(costs[1].multiply_adds == 512 * 512);
  CHECK(costs[2].multiply_adds == 512 * 10);
  CHECK(costs[0].parameters == 784 * 512 + 512);
  CHECK(costs[0].output == Shape{512});
  CHECK(costs[2].output == Shape{10});
}

TEST_CASE("a convolution costs its filter weights at each output position") {
  const auto costs = costs_of("cnn", {1, 28, 28});
  REQUIRE(costs.size() == 4);
  CHECK(costs[0].multiply_adds == 32 * 26 * 26 * 9);
  CHECK(costs[1].multiply_adds == 64 * 24 * 24 * 32 * 9);
  CHECK(costs[0].output == Shape{32, 26, 26});
  CHECK(costs[1].output == Shape{64 * 12 * 12});
}

TEST_CASE("the cost of a convolution does not depend on its algorithm") {
  const trainer::ImageShape input{3, 224, 224};
  auto context = test::model_context(input, 10);
  const auto costs = costs_of("resnet18", input);
  context.channels_last = true;
  const auto by_tiles = trainer::measure_blocks(*test::make_model("resnet18", context),
                                                {input.channels, input.height, input.width});
  REQUIRE(by_tiles.size() == costs.size());
  for (std::size_t i = 0; i < costs.size(); ++i)
    CHECK(by_tiles[i].multiply_adds == costs[i].multiply_adds);
}

TEST_CASE("the blocks of each model have all its parameters and the output shape of its task") {
  for (const auto* entry : trainer::model_table()) {
    const std::string_view name = entry->name;
    const bool takes_seconds =
        name == "resnet101" || name == "resnet152" || name.starts_with("vgg1");
    if (entry->input != std::string_view("images") || takes_seconds) continue;
    INFO(entry->name);
    const auto model = entry->make(test::model_context({3, 32, 32}, 7));
    double parameters = 0;
    const auto costs = trainer::measure_blocks(*model, {3, 32, 32});
    for (const BlockCost& cost : costs) parameters += cost.parameters;
    CHECK(parameters == static_cast<double>(trainer::parameter_count(*model)));
    const bool scores = entry->task == std::string_view("classification");
    CHECK(costs.back().output == (scores ? Shape{7} : Shape{3, 32, 32}));
  }
}
