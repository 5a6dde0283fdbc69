// SPDX-License-Identifier: Apache-2.0
#include "cli/options/completer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "planner/script/render.hpp"

namespace dlscale::cli {
namespace fs = std::filesystem;
namespace {

using Words = std::vector<std::string>;

/// Words of a command line, in which the parts of --option=value are joined to one word. bash
/// splits such a word into three words and completes only the last of them.
struct Line {
  Words words;
  bool in_pieces = false;  ///< true if the shell passed the last word in parts

  explicit Line(const Words& given) {
    for (const std::string& word : given) {
      const bool option = !words.empty() && words.back().starts_with("--");
      const bool open = option && words.back().ends_with('=');
      in_pieces = open || (option && word == "=");
      if (in_pieces) {
        words.back() += word;
      } else {
        words.push_back(word);
      }
    }
  }
};

bool is_listed(const CLI::Option& option) {
  return !option.get_group().empty();
}

bool takes_value(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

/// Position in the command line that follows all words except the last word.
class CommandPosition {
 public:
  CommandPosition(const CLI::App& program, const Words& words) : app_(&program) {
    for (std::size_t i = 0; i + 1 < words.size(); ++i) pass(words[i]);
  }
  const CLI::App& app() const { return *app_; }
  /// Returns the option whose value is the next word, or null if no option expects a value.
  const CLI::Option* pending() const { return pending_; }
  const Words& positionals() const { return positionals_; }
  bool options_ended() const { return options_ended_; }

  const CLI::Option* next_positional() const {
    std::size_t rest = positionals_.size();
    for (const CLI::Option* option : app_->get_options()) {
      if (!option->get_positional() || !is_listed(*option)) continue;
      const auto most = static_cast<std::size_t>(option->get_items_expected_max());
      if (rest < most) return option;
      rest -= most;
    }
    return nullptr;
  }
  /// Returns the plan folder on the command line, or the current folder if there is none.
  const std::string& folder() const { return folder_; }

 private:
  void pass(const std::string& word) {
    if (pending_ != nullptr) {
      note_folder(*pending_, word);
      pending_ = nullptr;
    } else if (word == "--" && !options_ended_) {
      options_ended_ = true;
    } else if (word.size() > 1 && word[0] == '-' && !options_ended_) {
      pass_option(word);
    } else if (const CLI::App* sub = subcommand(word); sub != nullptr) {
      app_ = sub;
      positionals_.clear();
    } else {
      if (const CLI::Option* option = next_positional()) note_folder(*option, word);
      positionals_.push_back(word);
    }
  }
  void pass_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const CLI::Option* option = app_->get_option_no_throw(word.substr(0, equals));
    if (option == nullptr || !takes_value(*option)) return;
    if (equals == std::string::npos) {
      pending_ = option;
    } else {
      note_folder(*option, word.substr(equals + 1));
    }
  }
  const CLI::App* subcommand(const std::string& name) const {
    if (!positionals_.empty() || options_ended_) return nullptr;
    for (const CLI::App* sub : app_->get_subcommands({})) {
      if (sub->get_name() == name) return sub;
    }
    return nullptr;
  }
  void note_folder(const CLI::Option& option, const std::string& value) {
    const std::string kind = option.get_type_name();
    if (kind == value_kind::kFolder || kind == value_kind::kFolderOrRun ||
        kind == value_kind::kFolderOrStudy) {
      folder_ = value;
    }
  }

  const CLI::App* app_;
  const CLI::Option* pending_ = nullptr;
  Words positionals_;
  std::string folder_ = ".";
  bool options_ended_ = false;
};

/// Returns the names of the files in a folder that have this ending. The returned names lack the
/// ending.
Words stems(const fs::path& folder, std::string_view ending) {
  Words names;
  std::error_code unreadable;
  for (const auto& entry : fs::directory_iterator(folder, unreadable)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(ending)) names.push_back(name.substr(0, name.size() - ending.size()));
  }
  return names;
}

Words run_ids(const std::string& folder) {
  const contract::PlanDir plan_dir{fs::path(folder)};
  Words ids;
  if (!fs::exists(plan_dir.plan_json())) return ids;
  for (const contract::PlannedRun& run : contract::read_plan(plan_dir).runs)
    ids.push_back(run.run_id);
  return ids;
}

Words listed_words(const std::string& kind) {
  return CLI::detail::split(kind.substr(1, kind.size() - 2), ',');
}

Completion values_of(const CLI::Option& option, const CommandPosition& place,
                     const fs::path& share) {
  const std::string kind = option.get_type_name();
  if (kind == value_kind::kFile) return {"files", {}};
  if (kind == value_kind::kFolder) return {"folders", {}};
  if (kind == value_kind::kStudy || kind == value_kind::kFolderOrStudy) return {"tomls", {}};
  if (kind == value_kind::kSite) return {"tomls", stems(share / "sites", ".toml")};
  if (kind == value_kind::kTemplate) return {"files", planner::templates_in(share / "templates")};
  if (kind == value_kind::kRun) return {"none", run_ids(place.folder())};
  if (kind == value_kind::kFolderOrRun) {
    return {place.positionals().empty() ? "folders" : "none", run_ids(place.folder())};
  }
  if (kind == value_kind::kFoldersAndRuns) return {"folders", run_ids(place.folder())};
  if (kind.starts_with('{')) return {"none", listed_words(kind)};
  return {};
}

Words option_names(const CLI::App& app) {
  Words names;
  for (const CLI::Option* option : app.get_options()) {
    if (!is_listed(*option)) continue;
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

/// Returns the words that can follow if the next word is not an option: sub-commands and values of
/// the next argument.
Completion plain_words(const CommandPosition& place, const fs::path& share) {
  Completion found;
  if (const CLI::Option* option = place.next_positional()) {
    found = values_of(*option, place, share);
  }
  if (!place.positionals().empty()) return found;
  for (const CLI::App* sub : place.app().get_subcommands({})) {
    found.words.push_back(sub->get_name());
  }
  return found;
}

}  // namespace

std::string one_of(const std::vector<std::string>& words) {
  return fmt::format("{{{}}}", fmt::join(words, ","));
}

Completion complete(const CLI::App& program, const std::vector<std::string>& words,
                    const fs::path& share) {
  const Line line(words);
  if (line.words.empty()) return {};
  const CommandPosition place(program, line.words);
  std::string word = line.words.back(), before;
  Completion found;
  const std::size_t equals = word.find('=');
  if (place.pending() != nullptr) {
    found = values_of(*place.pending(), place, share);
  } else if (word.starts_with("--") && equals != std::string::npos) {
    const CLI::Option* option = place.app().get_option_no_throw(word.substr(0, equals));
    if (option != nullptr) found = values_of(*option, place, share);
    if (!line.in_pieces) before = word.substr(0, equals + 1);
    word.erase(0, equals + 1);
  } else if (word.starts_with('-') && !place.options_ended()) {
    found.words = option_names(place.app());
  } else {
    found = plain_words(place, share);
  }
  std::erase_if(found.words, [&](const std::string& one) { return !one.starts_with(word); });
  std::sort(found.words.begin(), found.words.end());
  for (std::string& one : found.words) one.insert(0, before);
  return found;
}

}  // namespace dlscale::cli
