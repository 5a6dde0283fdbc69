// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/framework_options.hpp"

#include <map>
#include <utility>
#include <variant>

#include "contract/run_spec/framework_styles.hpp"
#include "contract/run_spec/run_spec_fields.hpp"

namespace dlscale::contract {
namespace {

/// Visitor that collects the name and the value of each option.
class NamedValues {
 public:
  using Value = std::variant<bool, int, std::int64_t, double, std::string>;

  explicit NamedValues(FrameworkOptions options) { visit_fields(*this, options); }

  template <class T>
  void optional(std::string_view name, const T& value) {
    all.emplace_back(name, Value(value));
  }

  std::vector<std::pair<std::string_view, Value>> all;
};

const NamedValues& default_values() {
  static const NamedValues kDefaults{FrameworkOptions{}};
  return kDefaults;
}

/// Pairs of "framework_options.KEY" and KEY, one pair for each option.
using Keys = std::vector<std::pair<std::string, std::string_view>>;

const Keys& option_keys() {
  static const Keys all = [] {
    Keys made;
    for (const std::string_view name : framework_option_names()) {
      made.emplace_back("framework_options." + std::string(name), name);
    }
    return made;
  }();
  return all;
}

}  // namespace

const std::vector<std::string_view>& framework_option_names() {
  static const auto all = [] {
    std::vector<std::string_view> names;
    for (const auto& [name, value] : default_values().all) names.push_back(name);
    return names;
  }();
  return all;
}

std::vector<std::string_view> changed_options(const FrameworkOptions& options) {
  const NamedValues values(options);
  std::vector<std::string_view> changed;
  for (std::size_t i = 0; i < values.all.size(); ++i) {
    if (values.all[i] != default_values().all[i]) changed.push_back(values.all[i].first);
  }
  return changed;
}

const std::vector<std::string_view>& foreign_options(std::string_view framework) {
  static const auto by_framework = [] {
    std::map<std::string_view, std::vector<std::string_view>> lists;
    for (const FrameworkStyle& style : framework_styles()) {
      std::vector<std::string_view>& list = lists[style.name];
      for (const auto& [key, name] : option_keys()) {
        if (!style.reads(name)) list.push_back(key);
      }
    }
    return lists;
  }();
  static const std::vector<std::string_view> kNone;
  const auto found = by_framework.find(framework);
  return found == by_framework.end() ? kNone : found->second;
}

}  // namespace dlscale::contract
