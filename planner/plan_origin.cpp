// SPDX-License-Identifier: Apache-2.0
#include "planner/plan_origin.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "planner/script/run_values.hpp"
#include "planner/script/shell_text.hpp"
#include "planner/study/resolved.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

std::string absolute_file(const std::string& file) {
  return fs::absolute(file).lexically_normal().string();
}

std::string_view assigned_key(std::string_view assignment) {
  return assignment.substr(0, assignment.find('='));
}

/// Returns the words of the command and of environment_setup that name files next to the study.
std::vector<std::string> all_named_files(const Study& study) {
  std::vector<std::string> all;
  const auto add = [&](const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      if (std::find(all.begin(), all.end(), word) == all.end()) all.push_back(word);
    }
  };
  add(named_files(study.trainer.command, folder_of(study.command_where, study.file),
                  study.trainer.files));
  const std::string folder = folder_of(study.environment_setup_where, study.file);
  for (const std::string& line : study.environment_setup) add(named_files(line, folder));
  return all;
}

/// Returns whether the study file already contains the change. The copy of a study that extends
/// other studies is merged with its changes. Returns false if the change is an error in this file.
bool contains_change(const std::string& file, const std::string& assignment) {
  const std::string text = base::read_text_file(file);
  try {
    return resolved_study(text, file, {assignment}) == resolved_study(text, file, {});
  } catch (const base::Error&) {
    return false;
  }
}

/// Returns whether one of the changes sets the key that the assignment sets.
bool sets_same_key(const std::vector<std::string>& changes, const std::string& assignment) {
  return std::any_of(changes.begin(), changes.end(), [&](const std::string& change) {
    return assigned_key(change) == assigned_key(assignment);
  });
}

/// Returns the origin of the plan in the folder of the study if the study is the copy that this
/// plan wrote. Returns nothing for other studies, and if plan.json does not name the original.
std::optional<contract::PlanOrigin> original_of_copy(const Study& study) {
  const contract::PlanDir folder(study.folder());
  const std::string file = absolute_file(study.file);
  if (file != folder.study_toml().string()) return {};
  const std::optional<contract::PlanHead> head = contract::find_plan_head(folder);
  if (!head || head->study != study.name) return {};
  if (head->origin.study_file.empty() || head->origin.study_file == file) return {};
  return head->origin;
}

/// Returns the options that repeat the changes from the command line.
std::string options_text(const std::vector<std::string>& overrides) {
  std::string text;
  for (const std::string& assignment : overrides) {
    text += fmt::format("{}-S {}", text.empty() ? "" : " ", shell_quote(assignment));
  }
  return text;
}

}  // namespace

contract::PlanOrigin origin_of(const Study& study, const std::vector<std::string>& overrides,
                               const std::optional<contract::PlanDir>& folder) {
  const std::string file = absolute_file(study.file);
  const std::optional<contract::PlanOrigin> original = original_of_copy(study);
  std::error_code missing;
  if (!original || !folder || !fs::equivalent(folder->study_toml(), file, missing)) {
    return {file, overrides, all_named_files(study)};
  }
  contract::PlanOrigin origin = *original;
  std::erase_if(origin.overrides, [&](const std::string& earlier) {
    return sets_same_key(overrides, earlier) || !contains_change(file, earlier);
  });
  origin.overrides.insert(origin.overrides.end(), overrides.begin(), overrides.end());
  return origin;
}

std::vector<std::string> copy_warnings(const Study& study,
                                       const std::vector<std::string>& overrides) {
  const std::optional<contract::PlanOrigin> original = original_of_copy(study);
  if (!original) return {};
  const contract::PlanOrigin& origin = *original;
  const std::string file = absolute_file(study.file);

  std::vector<std::string> warnings;
  const std::vector<std::string> found = all_named_files(study);
  std::vector<std::string> lost = origin.named_files;
  std::erase_if(lost, [&](const std::string& word) {
    return std::find(found.begin(), found.end(), word) != found.end();
  });
  if (!lost.empty()) {
    warnings.push_back(fmt::format(
        "{} is a copy of {}, and the folder of the copy does not contain {}, which the command or "
        "environment_setup names: plan {} instead, so that the jobs find {}",
        study.file, origin.study_file, fmt::join(lost, ", "), origin.study_file,
        lost.size() == 1 ? "the file" : "the files"));
  }
  std::vector<std::string> missing = origin.overrides;
  std::erase_if(missing, [&](const std::string& earlier) {
    return sets_same_key(overrides, earlier) || contains_change(file, earlier);
  });
  if (!missing.empty()) {
    warnings.push_back(
        fmt::format("{} is a copy that does not contain the changes from the command line with "
                    "which the plan of its folder was made; to keep them, add {}",
                    study.file, options_text(missing)));
  }
  return warnings;
}

}  // namespace dlscale::planner
