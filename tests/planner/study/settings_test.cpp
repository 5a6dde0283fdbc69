// SPDX-License-Identifier: Apache-2.0
#include "planner/study/settings.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace dlscale::planner;

namespace {

/// A value that a setting takes, by what it says about itself.
Node fitting_value(const Setting& setting) {
  if (setting.is_list) return {List{{std::int64_t{1}, {}}}, {}};
  switch (setting.symbol.kind) {
    case Symbol::Kind::number:
      if (setting.symbol.name == "label_smoothing" || setting.symbol.name.ends_with("dropout")) {
        return {0.25, {}};
      }
      return {std::int64_t{1}, {}};
    case Symbol::Kind::truth:
      return {true, {}};
    case Symbol::Kind::text:
      return {setting.symbol.choices.empty() ? "text" : setting.symbol.choices.back(), {}};
  }
  return {};
}

}  // namespace

TEST_CASE("every setting reads a value of its kind and refuses a table") {
  for (const Setting& setting : axis_settings()) {
    INFO(setting.symbol.name);
    Recipe recipe;
    CHECK_NOTHROW(setting.read(recipe, {fitting_value(setting), setting.symbol.name}));
    const Node table{Table{}, {}};
    CHECK_THROWS_AS(setting.read(recipe, {table, setting.symbol.name}), dlscale::base::SpecError);
  }
}

TEST_CASE("no setting stands twice, none is a part of another") {
  std::set<std::string> names;
  for (const Setting& setting : axis_settings()) {
    INFO(setting.symbol.name);
    CHECK(names.insert(setting.symbol.name).second);
    CHECK(names.count(setting.symbol.name.substr(0, setting.symbol.name.rfind('.'))) ==
          (setting.symbol.name.find('.') == std::string::npos ? 1 : 0));
  }
}
