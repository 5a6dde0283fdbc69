// SPDX-License-Identifier: Apache-2.0
// Declares functions that make the settings of a study. Private to planner/study/*.cpp.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "contract/run_spec/vocabulary.hpp"
#include "planner/study/settings.hpp"

namespace dlscale::planner {

using Kind = config::Symbol::Kind;

/// Returns a value of a recipe as conditions use it. A missing number becomes NaN.
inline config::Value shown(const std::string& text) {
  return text;
}
inline config::Value shown(bool truth) {
  return truth;
}
template <class Number>
requires std::is_arithmetic_v<Number> config::Value shown(Number number) {
  return static_cast<double>(number);
}
template <class T>
config::Value shown(const std::optional<T>& value) {
  return value ? shown(*value) : config::Value(std::numeric_limits<double>::quiet_NaN());
}

// Each of the following functions makes a setting from its key, the allowed values and its target.
// The target is a function that returns a reference to a member of a recipe.

template <class Target, class Read>
Setting setting(config::Symbol symbol, Target target, Read read) {
  return {std::move(symbol), false,
          [=](Recipe& recipe, const config::Item& item) { target(recipe) = read(recipe, item); },
          [=](Recipe& recipe) { return shown(target(recipe)); }};
}

template <class Target>
Setting whole(std::string name, std::int64_t least, Target target,
              std::int64_t most = config::kMostWhole) {
  return setting({std::move(name), Kind::number}, target, [=](Recipe&, const config::Item& item) {
    return static_cast<int>(item.whole(least, most));  // kMostWhole fits an int
  });
}

template <class Target>
Setting number(std::string name, double least, double most, Target target) {
  return setting({std::move(name), Kind::number}, target,
                 [=](Recipe&, const config::Item& item) { return item.number(least, most); });
}

template <class Target>
Setting numbers(std::string name, double least, Target target) {
  return {{std::move(name), Kind::text},
          true,
          [=](Recipe& recipe, const config::Item& item) { target(recipe) = item.numbers(least); },
          [](Recipe&) { return config::Value(std::string()); }};
}

template <class Target>
Setting flag(std::string name, Target target) {
  return setting({std::move(name), Kind::truth}, target,
                 [](Recipe&, const config::Item& item) { return item.flag(); });
}

template <class Target>
Setting text(std::string name, Target target) {
  return setting({std::move(name), Kind::text}, target,
                 [](Recipe&, const config::Item& item) { return item.text(); });
}

template <class Target>
Setting choice(std::string name, std::string kind, std::vector<std::string> choices,
               Target target) {
  return setting({std::move(name), Kind::text, choices}, target,
                 [=](Recipe&, const config::Item& item) { return item.one_of(kind, choices); });
}

/// Makes a setting that is a choice between texts. For the text `usual`, the run spec stores an
/// empty text.
template <class Target>
Setting choice_but(const std::string& usual, std::string name, std::vector<std::string> choices,
                   Target target) {
  const std::string kind = name.substr(name.rfind('.') + 1);
  return {{std::move(name), Kind::text, choices},
          false,
          [=](Recipe& recipe, const config::Item& item) {
            const std::string& chosen = item.one_of(kind, choices);
            target(recipe) = chosen == usual ? "" : chosen;
          },
          [=](Recipe& recipe) {
            const std::string& said = target(recipe);
            return config::Value(said.empty() ? usual : said);
          }};
}

/// Makes a setting that is a number x with 0 <= x < 1.
template <class Target>
Setting fraction(std::string name, Target target) {
  return setting({std::move(name), Kind::number}, target, [](Recipe&, const config::Item& item) {
    const double value = item.number(0, 1);
    if (value == 1) item.fail("must be below 1 (got 1)");
    return value;
  });
}

/// Makes a setting that is a choice between the names of a family in the vocabulary. A study with
/// an external trainer may use other plain names.
template <class Target>
Setting known(std::string name, const std::string& family, Target target) {
  const std::vector<std::string>& names = contract::vocabulary(family);
  return setting({std::move(name), Kind::text, names}, target,
                 [&names, family](Recipe& recipe, const config::Item& item) {
                   const bool ours = recipe.run.trainer.command.empty();
                   return ours ? item.one_of(family, names) : item.plain_name();
                 });
}

inline std::vector<Setting> joined(std::initializer_list<std::vector<Setting>> parts) {
  std::vector<Setting> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// Returns the options of all framework styles: `frameworks.NAME.OPTION`.
std::vector<Setting> framework_settings();

/// Returns the settings of the learning rate, its schedules, the optimizer and the targets of a
/// run.
std::vector<Setting> learning_settings();

/// Returns the settings of initial weights and frozen parameters, and `models.NAME.OPTION` for
/// models with options.
std::vector<Setting> model_settings();

/// Returns the axis `model`: a name of the vocabulary, or the file of a script.
Setting model_axis();

}  // namespace dlscale::planner
