// SPDX-License-Identifier: Apache-2.0
// Which model is trained, what it begins with and what it is made of, as a study says them.
#include "planner/study/setting_rows.hpp"

namespace dlscale::planner {
namespace {

using contract::ModelOptions;

template <class Member>
auto of_model(const std::string& name, Member ModelOptions::*member) {
  return [=](Recipe& r) -> Member& { return r.model_options[name].*member; };
}

/// What a frozen backbone can be: a model whose features others have trained.
std::vector<std::string> backbones() {
  std::vector<std::string> names;
  for (const std::string& name : contract::vocabulary("model")) {
    for (const char* family : {"alexnet", "squeezenet", "vgg", "resnet", "densenet"}) {
      if (name.rfind(family, 0) == 0) names.push_back(name);
    }
  }
  return names;
}

std::vector<Setting> model_options() {
  using O = ModelOptions;
  const std::string frozen = "frozen_backbone", nbow = "nbow", seq2seq = "seq2seq";
  const auto key = [](const std::string& model, const char* option) {
    return "models." + model + "." + option;
  };
  return {
      choice(key(frozen, "backbone"), "backbone", backbones(), of_model(frozen, &O::backbone)),
      whole(key(frozen, "classifier_hidden"), 0, of_model(frozen, &O::classifier_hidden)),
      fraction(key(frozen, "dropout"), of_model(frozen, &O::dropout)),
      whole(key(nbow, "embedding"), 1, of_model(nbow, &O::embedding)),
      whole(key(seq2seq, "embedding"), 1, of_model(seq2seq, &O::embedding)),
      whole(key(seq2seq, "hidden"), 1, of_model(seq2seq, &O::hidden)),
      choice_but("gru", key(seq2seq, "cell"), {"gru", "lstm"}, of_model(seq2seq, &O::cell)),
      fraction(key(seq2seq, "dropout"), of_model(seq2seq, &O::dropout)),
  };
}

}  // namespace

std::vector<Setting> model_settings() {
  return joined(
      {{
           text(
               "weights", [](Recipe & r) -> auto& { return r.run.weights; }),
           flag(
               "zero_init_gamma", [](Recipe & r) -> auto& { return r.run.zero_init_gamma; }),
           text(
               "frozen", [](Recipe & r) -> auto& { return r.run.frozen; }),
       },
       model_options()});
}

Setting model_axis() {
  Setting axis = known(
      "model", "model", [](Recipe & r) -> auto& { return r.run.model; });
  axis.read = [named = axis.read](Recipe& recipe, const config::Item& item) {
    const bool ours = recipe.run.trainer.command.empty();
    if (!ours || !item.text().starts_with(contract::kScriptModel)) return named(recipe, item);
    if (item.text() == contract::kScriptModel) item.fail("names no file; say \"script:PATH\"");
    recipe.run.model = item.text();
  };
  return axis;
}

}  // namespace dlscale::planner
