// SPDX-License-Identifier: Apache-2.0
#include "contract/records/model_card.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "tests/predict/made_card.hpp"

using namespace dlscale;
using Catch::Contains;
using contract::model_card_from_json;

namespace {

std::string changed(const std::string& from, const std::string& to) {
  std::string text = contract::to_json(test::made_card());
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a model card is read as it was written, with one line per layer") {
  const contract::ModelCard card = test::made_card();
  const std::string text = contract::to_json(card);
  CHECK(model_card_from_json(text, "card.json") == card);
  CHECK(contract::to_json(model_card_from_json(text, "card.json")) == text);
  CHECK_THAT(text, Contains("\n  {\"name\":"));
}

TEST_CASE("the cost of a batch is linear in its size") {
  CHECK(contract::BatchCost{3, 2}.at(10) == 23);
}

TEST_CASE("the file name of a model card contains the model, shape, classes and precision") {
  CHECK(contract::card_file_name("resnet50", {3, 224, 224}, 1000) ==
        "resnet50-3x224x224-1000.json");
  CHECK(contract::card_file_name("mlp", {1, 28, 28}, 10, "bf16") == "mlp-1x28x28-10-bf16.json");
}

TEST_CASE("settings of the model that differ from their defaults are part of the file name") {
  CHECK(contract::card_file_name("frozen_backbone", {1, 28, 28}, 10, "bf16",
                                 {.backbone = "vgg16", .classifier_hidden = 4096}) ==
        "frozen_backbone-1x28x28-10-bf16-backbone-vgg16-classifier_hidden-4096.json");
  CHECK(contract::model_text("mlp", {}) == "mlp");
  CHECK(contract::model_text("seq2seq", {.dropout = 0.5, .cell = "gru"}) ==
        "seq2seq (cell gru, dropout 0.5)");
}

TEST_CASE("a model card contains the settings of its model, and a file without them is read") {
  contract::ModelCard card = test::made_card();
  CHECK_THAT(contract::to_json(card), !Contains("options"));
  card.options.backbone = "alexnet";
  CHECK(model_card_from_json(contract::to_json(card), "card.json") == card);
}

TEST_CASE("a shape is written as extents separated by x") {
  CHECK(contract::shape_from_text("3x224x224") == std::vector<std::int64_t>{3, 224, 224});
  CHECK(contract::shape_from_text("60") == std::vector<std::int64_t>{60});
  CHECK(contract::shape_text({2, 30}) == "2x30");
  for (const char* wrong : {"", "x", "3x", "3xx4", "0x3", "-1", "3 x 4", "3x4.5", "3X4"}) {
    CHECK_THROWS_AS(contract::shape_from_text(wrong), base::UsageError);
  }
}

TEST_CASE("a broken model card is rejected with the location of the error") {
  const auto refused = [](const std::string& text, const std::string& message) {
    CHECK_THROWS_WITH(model_card_from_json(text, "card.json"), Contains(message));
    CHECK_THROWS_AS(model_card_from_json(text, "card.json"), base::SpecError);
  };
  refused("{", "card.json:1:2: not valid JSON");
  refused(changed("\"schema_version\": 1", "\"schema_version\": 2"),
          "this build supports at most 1");
  refused(changed("\"model\": \"made\",", ""), "card.json: model: missing");
  refused(changed("\"kind\":\"conv2d\"", "\"kind\":3"), "card.json: layers[0].kind: expected");
  refused(changed("\"saved\":{\"per_sample\":30000000.0", "\"saved\":{\"per_sample\":-1"),
          "card.json: layers[0].");
  contract::ModelCard empty = test::made_card();
  empty.layers.clear();
  refused(contract::to_json(empty), "card.json: layers: must contain at least one layer");
}
