// SPDX-License-Identifier: Apache-2.0
#include "trainer/about/describe.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/file.hpp"

using namespace dlscale;
using Catch::Contains;
using trainer::describe;
using trainer::read_description;

TEST_CASE("a cost model records its network and the command that created it") {
  const contract::ModelCard card =
      describe(read_description({"mlp", "--input", "3x32x32", "--classes", "10"}));
  CHECK(card.model == "mlp");
  CHECK(card.input == std::vector<std::int64_t>{3, 32, 32});
  CHECK(card.command == "dlscale-train --describe mlp --input 3x32x32 --classes 10");
  CHECK(card.parameters == 3072 * 512 + 512 + 512 * 512 + 512 + 512 * 10 + 10);
  CHECK(card.parameter_bytes == 4.0 * static_cast<double>(card.parameters));
  CHECK(card.buffer_bytes == 0);
  CHECK(card.made_with.contains("torch"));
}

TEST_CASE("a precision with fewer bits reduces the saved bytes") {
  const auto card = [](const char* precision) {
    return describe(read_description(
        {"cnn", "--input", "1x28x28", "--classes", "10", "--precision", precision}));
  };
  const auto saved = [](const contract::ModelCard& card) {
    return card.layers.back().forward.live.per_sample;
  };
  CHECK(saved(card("fp64")) == Approx(2 * saved(card("fp32"))).epsilon(0.2));
  CHECK(saved(card("bf16")) < 0.8 * saved(card("fp32")));
}

TEST_CASE("text models are described for a given vocabulary size") {
  const contract::ModelCard nbow =
      describe(read_description({"nbow", "--input", "60", "--classes", "2", "--words", "5000"}));
  CHECK(nbow.parameters == 5000 * 100 + 100 * 2 + 2);
  const contract::ModelCard translator = describe(
      read_description({"seq2seq", "--input", "2x12", "--classes", "90", "--words", "80"}));
  CHECK(translator.layers.size() > 10);
}

TEST_CASE("described classifiers have the parameter counts of the publication") {
  // Banerjee and Shah 2023: AlexNet with hidden layers of 4,096 units.
  const auto parameters = [](const char* hidden) {
    return describe(read_description({"frozen_backbone", "--input", "1x28x28", "--classes", "10",
                                      "--backbone", "alexnet", "--classifier-hidden", hidden}))
        .parameters;
  };
  CHECK(parameters("4096") == 54'575'114);
  CHECK(parameters("1024") == 9216 * 1024 + 1024 + 1024 * 1024 + 1024 + 1024 * 10 + 10);
}

TEST_CASE("model settings are options, and the cost model records them in its command") {
  const contract::ModelCard wide =
      describe(read_description({"frozen_backbone", "--input", "1x28x28", "--classes", "10",
                                 "--backbone", "squeezenet1_0", "--classifier-hidden", "64"}));
  CHECK(wide.parameters == 512 * 64 + 64 + 64 * 64 + 64 + 64 * 10 + 10);
  CHECK(wide.command ==
        "dlscale-train --describe frozen_backbone --input 1x28x28 --classes 10 "
        "--backbone squeezenet1_0 --classifier-hidden 64");
  const contract::ModelCard narrow = describe(read_description(
      {"nbow", "--input", "60", "--classes", "2", "--words", "5000", "--embedding", "16"}));
  CHECK(narrow.parameters == 5000 * 16 + 16 * 2 + 2);
  const auto translator = [](const char* hidden) {
    return describe(read_description({"seq2seq", "--input", "2x12", "--classes", "90", "--words",
                                      "80", "--hidden", hidden, "--cell", "lstm"}))
        .parameters;
  };
  CHECK(translator("8") < translator("16"));
}

TEST_CASE("a frozen backbone without a hidden width has one linear layer as classifier") {
  for (const std::vector<std::string>& width :
       {std::vector<std::string>{}, {"--classifier-hidden", "0"}}) {
    std::vector<std::string> arguments{
        "frozen_backbone", "--input", "1x28x28", "--classes", "10", "--backbone", "squeezenet1_0"};
    arguments.insert(arguments.end(), width.begin(), width.end());
    CHECK(describe(read_description(arguments)).parameters == 5130);
  }
}

TEST_CASE("a setting that the model lacks is rejected with the settings that it has") {
  const auto refused = [](std::vector<std::string> arguments, const std::string& message) {
    arguments.insert(arguments.begin() + 1, {"--input", "3x32x32", "--classes", "10"});
    CHECK_THROWS_WITH(describe(read_description(arguments)), message);
  };
  refused({"mlp", "--hidden", "64"},
          "--hidden: the model mlp has no such setting; its settings: none");
  refused({"frozen_backbone", "--backbone", "alexnet", "--hidden", "64"},
          "--hidden: the model frozen_backbone has no such setting; its settings: --backbone, "
          "--classifier-hidden, --dropout");
  refused({"frozen_backbone", "--classifier-hidden", "-1"},
          "--classifier-hidden -1: expected a whole number of at least 0");
  refused({"frozen_backbone", "--dropout", "1"},
          "--dropout 1: expected a number of at least 0 and below 1");
  CHECK_THROWS_WITH(describe(read_description({"seq2seq", "--input", "2x12", "--classes", "9",
                                               "--words", "80", "--cell", "gur"})),
                    Contains("unknown cell \"gur\""));
}

TEST_CASE("invalid arguments of --describe are rejected as usage errors") {
  const auto refused = [](const std::vector<std::string>& arguments, const std::string& message) {
    CHECK_THROWS_WITH(describe(read_description(arguments)), Contains(message));
    CHECK_THROWS_AS(describe(read_description(arguments)), base::UsageError);
  };
  refused({}, "a model name is missing");
  refused({"mlp"}, "--input is missing");
  refused({"mlp", "--input"}, "--input: a value is missing");
  refused({"mlp", "--input", "3x32", "--classes", "10"}, "mlp takes channels x height x width");
  refused({"mlp", "--input", "3xx", "--classes", "10"}, "\"3xx\" is not a shape");
  refused({"mlp", "--input", "3x32x32"}, "--classes is missing");
  refused({"mlp", "--input", "3x32x32", "--classes", "0"}, "--classes 0: expected");
  refused({"mlpp", "--input", "3x32x32", "--classes", "10"}, "did you mean \"mlp\"");
  refused({"mlp", "--inputs", "3x32x32"}, "did you mean \"--input\"");
  refused({"nbow", "--input", "60", "--classes", "2"}, "--words is missing");
  refused({"mlp", "--input", "3x32x32", "--classes", "9", "--precision", "fp8"},
          "unknown precision \"fp8\"");
}

TEST_CASE("the bundled cost models equal newly computed ones") {
  for (const char* name :
       {"squeezenet1_0-3x32x32-10.json", "resnet18-3x32x32-10.json", "cnn-3x32x32-10-bf16.json",
        "frozen_backbone-1x28x28-10-backbone-alexnet-classifier_hidden-1024-dropout-0.5.json"}) {
    INFO(name);
    const std::string file = std::string(DLSCALE_SOURCE_DIR "/share/cards/") + name;
    const std::string text = base::read_text_file(file);
    const contract::ModelCard card = contract::model_card_from_json(text, file);
    contract::ModelCard again = describe({.model = card.model,
                                          .input = card.input,
                                          .classes = card.classes,
                                          .options = card.options,
                                          .precision = card.precision});
    again.made_with = card.made_with;
    CHECK(contract::to_json(again) == text);
  }
}
