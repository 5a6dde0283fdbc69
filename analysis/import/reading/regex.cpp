// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/reading/regex.hpp"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>

#include "base/error.hpp"

namespace dlscale::analysis {
namespace {

/// Maximum number of match steps per line. If a line needs more steps, the expression was not
/// written for such lines.
constexpr std::uint32_t kMostMatchSteps = 1'000'000;

constexpr int kMostGroups = 250;

/// Memory for the places of the groups. Several threads may use one expression, so each thread has
/// its own memory.
struct MatchMemory {
  pcre2_match_data* data = pcre2_match_data_create(kMostGroups + 1, nullptr);
  MatchMemory() = default;
  MatchMemory(const MatchMemory&) = delete;
  MatchMemory& operator=(const MatchMemory&) = delete;
  ~MatchMemory() { pcre2_match_data_free(data); }
};

}  // namespace

struct Regex::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* limits = nullptr;

  Compiled() = default;
  Compiled(const Compiled&) = delete;
  Compiled& operator=(const Compiled&) = delete;
  ~Compiled() {
    pcre2_match_context_free(limits);
    pcre2_code_free(code);
  }
};

Regex::Regex(const std::string& expression) : compiled_(std::make_unique<Compiled>()) {
  int error = 0;
  PCRE2_SIZE at = 0;
  compiled_->code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(expression.data()),
                                  expression.size(), 0, &error, &at, nullptr);
  if (compiled_->code == nullptr) {
    char text[128];
    pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR*>(text), sizeof text);
    throw base::UsageError(fmt::format("regular expression \"{}\" is invalid: {} at character {}",
                                       expression, text, at + 1));
  }
  // If this compilation fails, PCRE2 interprets the expression.
  pcre2_jit_compile(compiled_->code, PCRE2_JIT_COMPLETE);
  if (groups() > kMostGroups) {
    throw base::UsageError(
        fmt::format("regular expression \"{}\" has more than {} groups", expression, kMostGroups));
  }
  compiled_->limits = pcre2_match_context_create(nullptr);
  pcre2_set_match_limit(compiled_->limits, kMostMatchSteps);
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

int Regex::groups() const {
  std::uint32_t count = 0;
  pcre2_pattern_info(compiled_->code, PCRE2_INFO_CAPTURECOUNT, &count);
  return static_cast<int>(count);
}

std::vector<std::pair<std::string, int>> Regex::names() const {
  std::uint32_t count = 0, size = 0;
  PCRE2_SPTR table = nullptr;
  pcre2_pattern_info(compiled_->code, PCRE2_INFO_NAMECOUNT, &count);
  pcre2_pattern_info(compiled_->code, PCRE2_INFO_NAMEENTRYSIZE, &size);
  pcre2_pattern_info(compiled_->code, PCRE2_INFO_NAMETABLE, &table);
  std::vector<std::pair<std::string, int>> names;
  for (std::uint32_t i = 0; i < count; ++i, table += size) {
    // Each entry begins with the number of the group in two bytes, followed by its name.
    names.emplace_back(reinterpret_cast<const char*>(table + 2), table[0] * 256 + table[1]);
  }
  return names;
}

Regex::MatchResult Regex::find(std::string_view text, std::vector<std::string_view>& groups) const {
  std::size_t from = 0;
  return find_from(text, from, groups);
}

Regex::MatchResult Regex::find_last(std::string_view text,
                                    std::vector<std::string_view>& groups) const {
  MatchResult found = MatchResult::no;
  std::vector<std::string_view> next;
  for (std::size_t from = 0; from <= text.size();) {
    const MatchResult one = find_from(text, from, next);
    if (one == MatchResult::gave_up) return one;
    if (one == MatchResult::no) break;
    const bool says =
        std::any_of(next.begin(), next.end(), [](auto group) { return !group.empty(); });
    if (says || found == MatchResult::no)
      groups = next;  // ignores the empty match of "[^/]*$" at the end
    found = MatchResult::yes;
  }
  return found;
}

int Regex::count(std::string_view text) const {
  int matches = 0;
  std::vector<std::string_view> groups;
  for (std::size_t from = 0; from <= text.size(); ++matches) {
    if (find_from(text, from, groups) != MatchResult::yes) break;
  }
  return matches;
}

Regex::MatchResult Regex::find_from(std::string_view text, std::size_t& from,
                                    std::vector<std::string_view>& groups) const {
  thread_local const MatchMemory memory;
  const int found = pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()),
                                text.size(), from, 0, memory.data, compiled_->limits);
  if (found == PCRE2_ERROR_NOMATCH) return MatchResult::no;
  if (found < 0) return MatchResult::gave_up;
  const PCRE2_SIZE* ends = pcre2_get_ovector_pointer(memory.data);
  groups.assign(static_cast<std::size_t>(this->groups()) + 1, {});
  for (std::size_t i = 0; i < static_cast<std::size_t>(found); ++i) {
    if (ends[2 * i] == PCRE2_UNSET) continue;
    groups[i] = text.substr(ends[2 * i], ends[2 * i + 1] - ends[2 * i]);
  }
  const bool is_empty = ends[1] <= from || ends[0] >= ends[1];
  from = is_empty ? std::max(ends[1], from) + 1 : ends[1];
  return MatchResult::yes;
}

}  // namespace dlscale::analysis
