// SPDX-License-Identifier: Apache-2.0
#include "planner/study/settings.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "contract/run_spec/framework_styles.hpp"

using namespace dlscale::planner;
using namespace dlscale::config;

namespace {

/// Returns a value that the setting accepts according to its own description.
Node fitting_value(const Setting& setting) {
  const std::string& name = setting.symbol.name;
  const std::set<std::string> below_one{"label_smoothing",
                                        "ema_decay",
                                        "models.frozen_backbone.dropout",
                                        "optimizer.adam.beta1",
                                        "optimizer.adam.beta2",
                                        "optimizer.momentum",
                                        "models.seq2seq.dropout"};
  if (name == "dataset.sha256") return {std::string(64, 'a'), {}};
  if (name.starts_with("dataset.crop_")) return {List{{0.5, {}}, {1.0, {}}}, {}};
  if (setting.is_list) return {List{{std::int64_t{1}, {}}}, {}};
  switch (setting.symbol.kind) {
    case Symbol::Kind::number:
      if (below_one.contains(name)) return {0.25, {}};
      return {std::int64_t{1}, {}};
    case Symbol::Kind::truth:
      return {true, {}};
    case Symbol::Kind::text:
      return {setting.symbol.choices.empty() ? "text" : setting.symbol.choices.back(), {}};
  }
  return {};
}

}  // namespace

TEST_CASE("every setting reads a value of its kind and rejects a table") {
  for (const Setting& setting : axis_settings()) {
    INFO(setting.symbol.name);
    Recipe recipe;
    CHECK_NOTHROW(setting.read(recipe, {fitting_value(setting), setting.symbol.name}));
    const Node table{Table{}, {}};
    CHECK_THROWS_AS(setting.read(recipe, {table, setting.symbol.name}), dlscale::base::SpecError);
  }
}

TEST_CASE("a choice that a run does not set is read as its default") {
  for (const char* name :
       {"mode", "batch_norm", "memory_format", "cpu_kernels", "gpu_kernels", "all_reduce",
        "lr.warmup_from", "lr.warmup_update", "optimizer.decayed", "models.seq2seq.cell"}) {
    INFO(name);
    const auto& all = axis_settings();
    const auto setting = std::find_if(all.begin(), all.end(),
                                      [&](const Setting& row) { return row.symbol.name == name; });
    REQUIRE(setting != all.end());
    Recipe recipe;
    const std::string usual = std::get<std::string>(setting->value(recipe));
    setting->read(recipe, {{usual, {}}, name});
    CHECK(std::get<std::string>(setting->value(recipe)) == usual);
    CHECK(recipe.run == dlscale::contract::RunSpec{});
    setting->read(recipe, {{setting->symbol.choices.back(), {}}, name});
    CHECK(std::get<std::string>(setting->value(recipe)) == setting->symbol.choices.back());
  }
}

TEST_CASE("the keys of a framework style are the options that it reads") {
  std::set<std::string> expected;
  for (const dlscale::contract::FrameworkStyle& style : dlscale::contract::framework_styles()) {
    for (const std::string_view option : style.options) {
      expected.insert("frameworks." + std::string(style.name) + "." + std::string(option));
    }
  }
  std::set<std::string> found;
  for (const Setting& setting : axis_settings()) {
    if (setting.symbol.name.starts_with("frameworks.")) found.insert(setting.symbol.name);
  }
  CHECK(found == expected);
}

TEST_CASE("a style offers powersgd compression only if it reads powersgd_rank") {
  for (const Setting& setting : axis_settings()) {
    const std::string& name = setting.symbol.name;
    if (!name.ends_with(".compression")) continue;
    const std::string prefix = "frameworks.";
    const std::string style = name.substr(prefix.size(), name.rfind('.') - prefix.size());
    const auto& choices = setting.symbol.choices;
    INFO(name);
    CHECK((std::find(choices.begin(), choices.end(), "powersgd") != choices.end()) ==
          dlscale::contract::framework_style(style).reads("powersgd_rank"));
  }
}

TEST_CASE("the names of settings are unique, and none is the prefix of another") {
  std::set<std::string> names;
  for (const Setting& setting : axis_settings()) {
    INFO(setting.symbol.name);
    CHECK(names.insert(setting.symbol.name).second);
    CHECK(names.count(setting.symbol.name.substr(0, setting.symbol.name.rfind('.'))) ==
          (setting.symbol.name.find('.') == std::string::npos ? 1 : 0));
  }
}
