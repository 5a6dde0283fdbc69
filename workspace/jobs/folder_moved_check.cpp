// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/folder_moved_check.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"

namespace dlscale::workspace {
namespace fs = std::filesystem;
namespace {

/// Returns the value of a shell word that planner::shell_quote wrote. Returns nothing for a word of
/// the form $'…'.
std::optional<std::string> value_of(std::string_view word) {
  constexpr std::string_view kQuote = "'\\''";
  if (!word.starts_with('\'')) return std::string(word);
  word.remove_prefix(1);
  std::string value;
  for (std::size_t end; (end = word.find('\'')) != std::string_view::npos;) {
    value += word.substr(0, end);
    word.remove_prefix(end);
    if (!word.starts_with(kQuote)) return value;
    value += '\'';
    word.remove_prefix(kQuote.size());
  }
  return std::nullopt;
}

/// Returns the plan folder that a job script names. Returns nothing if the script was not made from
/// dlscale's templates.
std::optional<fs::path> folder_named_in(const std::string& script) {
  constexpr std::string_view kLine = "\nplan=";
  const std::size_t line = script.find(kLine);
  if (line == std::string::npos) return std::nullopt;
  const std::size_t start = line + kLine.size();
  const std::optional<std::string> value =
      value_of(std::string_view(script).substr(start, script.find('\n', start) - start));
  if (!value || !fs::path(*value).is_absolute()) return std::nullopt;
  return *value;
}

}  // namespace

void require_unmoved(const contract::PlanDir& folder, const contract::Plan& plan) {
  if (plan.jobs.empty()) return;
  const fs::path script = folder.job_script(plan.jobs.front().name);
  std::error_code unreadable;
  // An unreadable script is ignored here. Callers that need the script report the error.
  if (!fs::is_regular_file(script, unreadable)) return;
  const std::optional<fs::path> planned = folder_named_in(base::read_file(script));
  if (!planned || fs::equivalent(*planned, folder.root(), unreadable)) return;
  throw base::UsageError(
      fmt::format("{} was moved or copied after planning: its jobs would run in {}; plan the study "
                  "again with -o {}",
                  folder.root().string(), planned->string(), folder.root().string()));
}

}  // namespace dlscale::workspace
