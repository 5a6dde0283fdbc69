// SPDX-License-Identifier: Apache-2.0
#include "runner/batch/scheduler_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <vector>

#include "base/text.hpp"

namespace dlscale::runner {
namespace {

using Lines = std::vector<std::string_view>;

/// Error marks of SLURM's commands and OAR's admission rules, in lower case.
constexpr std::array<std::string_view, 2> kErrorMarks{"error:", "fatal:"};
/// Error marks of plugins, of scripts around the commands and of OAR itself, in lower case:
/// "[ERROR] …", "ERROR : …", "[E] …".
constexpr std::array<std::string_view, 3> kLooseErrorMarks{"error", "fatal", "[e]"};
/// Beginnings of informational messages. The name of the program may precede the message.
constexpr std::array<std::string_view, 8> kInformation{"[i]",   "[info]", "info", "[w]",
                                                       "[warn", "warn",   "note", "notice"};
/// Beginnings of messages from a site's plugin or admission rule. Such a message counts as
/// information unless it has an error mark.
constexpr std::array<std::string_view, 2> kPlugins{"lua:", "#"};
constexpr std::string_view kAdmissionRule = "admission rule]";

template <std::size_t size>
bool has_one_of(std::string_view text, const std::array<std::string_view, size>& marks) {
  return std::any_of(marks.begin(), marks.end(), [&](std::string_view mark) {
    return text.find(mark) != std::string_view::npos;
  });
}

/// Returns the lines that are not blank, without surrounding spaces.
Lines lines_in(std::string_view text) {
  Lines lines;
  for (const std::string_view line : base::lines_of(text)) {
    const std::string_view words = base::trimmed(line, " \t\r");
    if (!words.empty()) lines.push_back(words);
  }
  return lines;
}

/// Returns the message after the name of a program such as "sbatch: ".
std::string_view message_of(std::string_view line) {
  const std::size_t end = line.find(": ");
  const bool has_program = end != std::string_view::npos &&
                           line.substr(0, end).find_first_of(" []") == std::string_view::npos;
  return has_program ? line.substr(end + 2) : line;
}

template <std::size_t size>
bool begins_with_one_of(std::string_view text,
                        const std::array<std::string_view, size>& beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

bool has_words(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char letter) { return std::isalnum(letter) != 0; });
}

/// Returns whether a line reports an error. Informational lines and lines without words, such as
/// lines of dashes, do not.
template <std::size_t size>
bool reports_error(std::string_view line, const std::array<std::string_view, size>& marks) {
  const std::string message = base::lower(message_of(line));
  const bool begins = begins_with_one_of(message, kErrorMarks);
  return has_one_of(base::lower(line), marks) &&
         has_words(begins ? message.substr(message.find(':')) : message) &&
         !begins_with_one_of(message, kInformation);
}

bool is_information(std::string_view line) {
  const std::string message = base::lower(message_of(line));
  return !has_words(message) || begins_with_one_of(message, kInformation) ||
         begins_with_one_of(message, kPlugins) ||
         message.substr(0, message.find(']') + 1).ends_with(kAdmissionRule);
}

/// Joins lines and drops repeated prefixes. "sbatch: error: A" and "sbatch: error: B" become
/// "sbatch: error: A; B".
std::string joined(const Lines& lines) {
  constexpr std::string_view kError = "error: ";
  std::string result(lines.front());
  const std::size_t mark = lines.front().find(kError);
  const std::string_view prefix =
      mark == std::string_view::npos ? "" : lines.front().substr(0, mark + kError.size());
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (!prefix.empty() && line.starts_with(prefix)) line.remove_prefix(prefix.size());
    result.append("; ").append(line);
  }
  return result;
}

template <class Wanted>
Lines select(const Lines& lines, Wanted wanted) {
  Lines chosen;
  std::copy_if(lines.begin(), lines.end(), std::back_inserter(chosen), wanted);
  return chosen;
}

template <std::size_t size>
Lines errors_in(const Lines& lines, const std::array<std::string_view, size>& marks) {
  return select(lines, [&](std::string_view line) { return reports_error(line, marks); });
}

}  // namespace

std::string scheduler_error(std::string_view text) {
  const Lines lines = lines_in(text);
  if (lines.empty()) return "";
  Lines errors = errors_in(lines, kErrorMarks);
  if (errors.empty()) errors = errors_in(lines, kLooseErrorMarks);
  if (!errors.empty()) return joined(errors);
  const Lines messages = select(lines, [](std::string_view line) { return !is_information(line); });
  return std::string(messages.empty() ? lines.back() : messages.front());
}

}  // namespace dlscale::runner
