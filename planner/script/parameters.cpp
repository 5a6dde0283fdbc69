// SPDX-License-Identifier: Apache-2.0
#include "planner/script/parameters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "planner/script/run_values.hpp"
#include "planner/script/script_data.hpp"

namespace dlscale::planner {
namespace {

constexpr std::string_view kPrefix = "parameters.";

/// Its bare name; empty where it is no parameter.
std::string_view parameter_of(std::string_view setting) {
  return setting.starts_with(kPrefix) ? setting.substr(kPrefix.size()) : std::string_view();
}

}  // namespace

void check_parameters(const Study& study) {
  if (study.trainer.command.empty()) return;
  const std::vector<ScriptName> taken = script_names();
  const auto check = [&](std::string_view setting, const base::Location& where,
                         const std::string& key) {
    const std::string_view name = parameter_of(setting);
    const auto other = std::find_if(taken.begin(), taken.end(), [&](const ScriptName& known) {
      return known.name == name && known.kind != "partial";
    });
    if (other == taken.end()) return;
    throw base::SpecError(
        where, key,
        fmt::format("the name is taken: in scripts and commands {{{{{}}}}} is the {} \"{}\"; call "
                    "the parameter otherwise",
                    name, other->kind, other->meaning));
  };
  for (const Matrix& matrix : study.matrices) {
    for (const StudyAxis& axis : matrix.axes) check(axis.name(), axis.where, axis.key);
    for (const auto& [name, where] : matrix.given) {
      check(name, where, matrix.key + "training." + name);
    }
    for (const Override& override : matrix.overrides) {
      for (const Override::Change& change : override.changes) {
        check(change.setting.symbol.name, change.node.where, change.key);
      }
    }
  }
}

std::vector<std::string> unused_parameters(const Study& study) {
  std::vector<std::string> notes;
  for (const Matrix& matrix : study.matrices) {
    for (const StudyAxis& axis : matrix.axes) {
      const std::string_view name = parameter_of(axis.name());
      if (name.empty() || names_value(study.trainer.command, name)) continue;
      const base::SpecError note(
          axis.where, axis.key,
          fmt::format("the command has no {{{{{}}}}}: its values make no difference", name));
      if (std::find(notes.begin(), notes.end(), note.what()) == notes.end()) {
        notes.emplace_back(note.what());
      }
    }
  }
  return notes;
}

}  // namespace dlscale::planner
