// SPDX-License-Identifier: Apache-2.0
// Private to planner/study/*.cpp: makers of the rows of settings().
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

/// As expressions see what a recipe holds; a number that is not given is NaN.
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

// Each maker takes the key, what its values may be, and where in a recipe they go: a function
// from Recipe& to a reference.

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
    return static_cast<int>(item.whole(least, most));  // kMostWhole is the largest int
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

/// A choice of which a run spec does not say the usual one.
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

/// 0 <= x < 1.
template <class Target>
Setting fraction(std::string name, Target target) {
  return setting({std::move(name), Kind::number}, target, [](Recipe&, const config::Item& item) {
    const double value = item.number(0, 1);
    if (value == 1) item.fail("must be below 1, is 1");
    return value;
  });
}

/// A choice among the vocabulary's names of a family; of an external trainer we know no names.
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

/// Of every framework: `frameworks.NAME.OPTION`.
std::vector<Setting> framework_settings();

/// Learning rate, its schedules, the optimizer, and what a run is to reach.
std::vector<Setting> learning_settings();

/// What a model begins with, and `models.NAME.OPTION` of those that have some.
std::vector<Setting> model_settings();

/// The axis `model`: a name of the vocabulary, or a script's file.
Setting model_axis();

}  // namespace dlscale::planner
