// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_layers.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/records/bench_record.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::read_layer_bench;

namespace {

std::vector<contract::StepLayers> measured(const test::TempDir& folder,
                                           std::vector<std::string> arguments) {
  const std::string file = folder / "layers.jsonl";
  arguments.insert(arguments.end(), {"--seconds", "0.001", "--cores", "1", "-o", file});
  trainer::bench_layers(read_layer_bench(arguments));
  return contract::bench_records_from_jsonl(base::read_file(file), file).layers;
}

double sum_of(const contract::StepLayers& step, double contract::MeasuredLayer::*part) {
  double sum = 0;
  for (const contract::MeasuredLayer& layer : step.layers) sum += layer.*part;
  return sum;
}

}  // namespace

TEST_CASE("the layers of a step are those of the cost model and take most of its passes") {
  const test::TempDir folder;
  const auto steps =
      measured(folder, {"vgg11", "--input", "3x32x32", "--classes", "10", "--batch", "2,8"});
  REQUIRE(steps.size() == 2);
  CHECK(steps[0].batch == 2);
  CHECK(steps[1].batch == 8);
  const auto card = trainer::describe({.model = "vgg11", .input = {3, 32, 32}, .classes = 10});
  for (const contract::StepLayers& step : steps) {
    REQUIRE(step.layers.size() == card.layers.size());
    std::int64_t parameters = 0;
    for (std::size_t i = 0; i < step.layers.size(); ++i) {
      CHECK(step.layers[i].cost == card.layers[i]);
      parameters += step.layers[i].cost.parameters;
      CHECK((step.layers[i].update_s > 0) == (step.layers[i].cost.parameters > 0));
    }
    CHECK(parameters == card.parameters);
    CHECK(step.repetitions >= 5);
    CHECK(sum_of(step, &contract::MeasuredLayer::forward_s) > 0.5 * step.forward_s);
    CHECK(sum_of(step, &contract::MeasuredLayer::backward_s) > 0.5 * step.backward_s);
  }
}

TEST_CASE("each convolution has a backward time, whether or not dlscale's own kernel computes it") {
  const test::TempDir folder;
  const auto steps =
      measured(folder, {"vgg16", "--input", "3x32x32", "--classes", "10", "--batch", "16"});
  REQUIRE(steps.size() == 1);
  for (const contract::MeasuredLayer& layer : steps[0].layers) {
    INFO(layer.cost.name << " " << layer.cost.kind);
    if (layer.cost.kind != "conv2d") continue;
    // The backward pass of a layer takes longer than a view, also on a busy machine.
    CHECK(layer.backward_s > 1e-6);
  }
}

TEST_CASE("a model whose step joins batch norms with other layers is rejected") {
  const test::TempDir folder;
  CHECK_THROWS_WITH(measured(folder, {"resnet18", "--input", "3x32x32", "--classes", "10"}),
                    Contains("instead of the traced operator batch_norm"));
}

TEST_CASE("a model of texts is measured as well") {
  const test::TempDir folder;
  const auto steps = measured(
      folder, {"nbow", "--input", "20", "--classes", "2", "--words", "100", "--optimizer", "adam"});
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].optimizer == "adam");
  CHECK_FALSE(steps[0].layers.empty());
}

TEST_CASE("invalid arguments of dlscale-bench layers are rejected before anything is measured") {
  const auto rejects = [](const std::vector<std::string>& arguments, const std::string& message) {
    CHECK_THROWS_AS(read_layer_bench(arguments), base::UsageError);
    CHECK_THROWS_WITH(read_layer_bench(arguments), Contains(message));
  };
  rejects({"-o", "x"}, "a model name is missing");
  rejects({"vgg11", "vgg16", "-o", "x"}, "only one model");
  rejects({"vgg11", "--input", "3x32x32", "--classes", "10"}, "-o is missing");
  rejects({"vgg11", "--classes", "10", "-o", "x"}, "--input is missing");
  rejects({"vgg11", "--input", "3x32x32", "--classes", "10", "-o", "x", "--batch", "0"},
          "comma-separated whole numbers of at least 1");
  rejects({"vgg11", "--input", "3x32x32", "--classes", "10", "-o", "x", "--optimizer", "adm"},
          "did you mean \"adam\"");
  rejects({"vgg11", "--inptu", "3x32x32"}, "did you mean \"--input\"");
}
