// SPDX-License-Identifier: Apache-2.0
#include "workspace/source_folders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "contract/plan/plan.hpp"
#include "contract/plan/run_dir.hpp"
#include "workspace/runs/selection.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Argument of the command line: its text, and the name and the path that the text contains.
struct FolderArgument {
  std::string text;
  std::string name;  ///< empty: the text contains no name
  fs::path path;
};

FolderArgument parse_argument(const std::string& text) {
  std::error_code unreadable;
  const std::size_t equals = text.find('=');
  const bool has_name = equals != 0 && equals < text.find('/') && !fs::exists(text, unreadable);
  if (!has_name) return {text, "", text};
  return {text, text.substr(0, equals), text.substr(equals + 1)};
}

bool holds_plan(const fs::path& folder) {
  std::error_code unreadable;
  return fs::exists(contract::PlanDir(folder).plan_json(), unreadable);
}

/// Returns the path without `.`, `..` and a slash at the end, so that its last part is a name.
fs::path plain_path(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return path.has_filename() ? path : path.parent_path();
}

std::vector<std::string> plan_folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    if (holds_plan(entry.path())) names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Returns the plan folder next to `path` whose name is most similar, or else the first plan folder
/// in `path`. Returns an empty path if there is none.
fs::path nearest_plan_folder(const fs::path& path) {
  const fs::path plain = plain_path(path);
  std::vector<std::string> siblings = plan_folders_in(plain.parent_path());
  const std::string sibling = base::nearest(plain.filename().string(), siblings);
  const fs::path without_slash = path.has_filename() ? path : path.parent_path();
  if (!sibling.empty()) return without_slash.parent_path() / sibling;
  const std::vector<std::string> children = plan_folders_in(path);
  return children.empty() ? fs::path() : path / children.front();
}

[[noreturn]] void refuse_folder(const FolderArgument& argument, const std::string& what) {
  const fs::path nearest = nearest_plan_folder(argument.path);
  const std::string hint = nearest.empty()
                               ? "give a folder that dlscale plan -o or dlscale run -o wrote"
                               : fmt::format("did you mean \"{}\"?", nearest.string());
  throw base::UsageError(fmt::format("{}: {}; {}", argument.text, what, hint));
}

void require_plan(const FolderArgument& argument) {
  if (holds_plan(argument.path)) return;
  std::error_code unreadable;
  const bool exists = fs::exists(argument.path, unreadable);
  refuse_folder(argument, exists ? "is not a plan folder, because it contains no plan.json"
                                 : "is not a plan folder, because it does not exist");
}

/// Runs of several plans, for the decision whether an argument selects runs.
class KnownRuns {
 public:
  void add(const fs::path& folder) {
    plans_.push_back(contract::read_plan(contract::PlanDir(folder)));
  }
  /// Returns true if a run of any plan matches the run id or the glob.
  bool match(const std::string& pattern) const {
    SelectionChoice choice;
    choice.runs = {pattern};
    return std::any_of(plans_.begin(), plans_.end(), [&](const contract::Plan& plan) {
      return !matching_runs(plan, choice).empty();
    });
  }

 private:
  std::vector<contract::Plan> plans_;
};

/// Returns true if the argument selects runs: a run id or a glob, with or without the source before
/// it ("SOURCE/RUN"). A word that resembles neither a run nor a plan folder also counts as a run.
/// The selection of runs later reports that no run matches this word.
bool is_run(const FolderArgument& argument, const KnownRuns& known) {
  if (!argument.name.empty()) return false;
  if (known.match(argument.text)) return true;
  std::error_code unreadable;
  if (fs::exists(argument.path, unreadable)) return false;
  const std::size_t slash = argument.text.rfind('/');
  if (slash != std::string::npos) return known.match(argument.text.substr(slash + 1));
  return nearest_plan_folder(argument.path).empty();
}

/// Returns the last `parts` parts of the path of a folder, such as "juwels/plan" for 2 parts.
std::string last_parts(const fs::path& folder, int parts) {
  const fs::path path = plain_path(folder);
  const std::string last = path.filename().string();
  const std::string parent = path.parent_path().filename().string();
  return parts < 2 || parent.empty() ? last : parent + "/" + last;
}

/// Throws base::UsageError if two arguments name the same folder.
void require_different_folders(const std::vector<FolderArgument>& folders) {
  std::map<fs::path, std::string> known;
  for (const FolderArgument& folder : folders) {
    const auto [first, is_new] = known.emplace(fs::canonical(folder.path), folder.text);
    if (!is_new) {
      throw base::UsageError(fmt::format("{}: is the same folder as {}; give each folder once",
                                         folder.text, first->second));
    }
  }
}

/// Throws base::UsageError for a name that conditions and baselines cannot contain.
void require_usable_name(const std::string& name, const FolderArgument& folder) {
  const bool unusable = name.empty() || name.find_first_of(",\"'=\n") != std::string::npos;
  if (!unusable) return;
  throw base::UsageError(
      fmt::format("{}: the name \"{}\" of the source must not be empty and must not contain a "
                  "comma, a quotation mark or \"=\"; write NAME={}",
                  folder.text, name, folder.path.string()));
}

std::vector<SourceFolder> named_sources(const std::vector<FolderArgument>& folders) {
  std::map<std::string, int> unnamed;
  for (const FolderArgument& folder : folders) {
    if (folder.name.empty()) ++unnamed[last_parts(folder.path, 1)];
  }
  std::vector<SourceFolder> sources;
  std::map<std::string, std::string> arguments;  // arguments by the name of the source
  for (const FolderArgument& folder : folders) {
    std::string name = folder.name;
    if (name.empty()) {
      const int parts = unnamed[last_parts(folder.path, 1)] > 1 ? 2 : 1;
      name = last_parts(folder.path, parts);
    }
    require_usable_name(name, folder);
    const auto [first, is_new] = arguments.emplace(name, folder.text);
    if (!is_new) {
      throw base::UsageError(
          fmt::format("{} and {} have the same name \"{}\"; give one folder another name: NAME={}",
                      first->second, folder.text, name, folder.path.string()));
    }
    sources.push_back({std::move(name), folder.path});
  }
  return sources;
}

}  // namespace

SourceArguments divide_arguments(const std::string& first, const std::vector<std::string>& others) {
  std::vector<FolderArgument> folders{parse_argument(first)};
  if (others.empty() && folders.front().name.empty()) return {};
  require_plan(folders.front());
  KnownRuns known;
  known.add(folders.front().path);
  std::vector<FolderArgument> undecided;
  for (const std::string& text : others) {
    FolderArgument argument = parse_argument(text);
    const bool is_folder = holds_plan(argument.path);
    if (is_folder) known.add(argument.path);
    (is_folder ? folders : undecided).push_back(std::move(argument));
  }
  SourceArguments divided;
  for (const FolderArgument& argument : undecided) {
    if (!is_run(argument, known)) require_plan(argument);
    divided.runs.push_back(argument.text);
  }
  if (folders.size() == 1 && folders.front().name.empty()) return divided;
  require_different_folders(folders);
  divided.folders = named_sources(folders);
  return divided;
}

}  // namespace dlscale::workspace
