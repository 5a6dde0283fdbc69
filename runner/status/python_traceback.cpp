// SPDX-License-Identifier: Apache-2.0
//
// A traceback is a line "Traceback (most recent call last):", frames that are indented, and an
// exception that is not. Exceptions need not be called "…Error": subprocess.TimeoutExpired and many
// of users' own are not, so only the position in the block identifies them. Launchers put the same
// prefix in front of all lines of a block ("[rank0]: "), which tells the blocks of ranks apart.
#include "runner/status/python_traceback.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace dlscale::runner {
namespace {

constexpr std::string_view kBegin = "Traceback (most recent call last):";
/// Largest number of lines in a block. A longer block was cut off.
constexpr std::size_t kLongestBlock = 400;

/// Returns the launcher's prefix of the lines of a block. "Original " belongs to the traceback of a
/// worker process, and "+ Exception Group " to a group of exceptions.
std::string_view prefix_of(std::string_view line, std::size_t begin) {
  std::string_view prefix = line.substr(0, begin);
  for (const std::string_view word : {"Original ", "  + Exception Group "}) {
    if (prefix.ends_with(word)) prefix.remove_suffix(word.size());
  }
  return prefix;
}

/// "ValueError: bad", "mylib.StopTraining: done", "KeyboardInterrupt". Lines of loggers ("INFO: …")
/// are none.
bool is_exception(std::string_view text) {
  const std::size_t end = std::min(text.find(':'), text.size());
  std::string_view name = text.substr(0, end);
  while (name.ends_with('\r')) name.remove_suffix(1);
  const bool is_name = !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
                       std::all_of(name.begin(), name.end(), [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '_' || c == '.' || c >= 0x80;
                       });
  const bool is_class =
      name.find('.') != name.npos ||
      (is_name && std::isupper(static_cast<unsigned char>(name[0])) != 0 &&
       std::any_of(name.begin(), name.end(), [](unsigned char c) { return std::islower(c) != 0; }));
  return is_name && is_class &&
         (end == text.size() || text.substr(end + 1).empty() || text[end + 1] == ' ' ||
          text[end + 1] == '\r');
}

/// Marks a block that begins behind `from`; the exception gets `last`.
void mark_block(const std::vector<std::string_view>& lines, std::size_t from,
                std::string_view prefix, std::vector<TracebackPart>& parts, TracebackPart last) {
  const bool is_ignored = last == TracebackPart::ignored;
  const std::size_t end = std::min(lines.size(), from + kLongestBlock);
  bool has_begun = !is_ignored;
  for (std::size_t i = from; i < end; ++i) {
    if (!lines[i].starts_with(prefix)) continue;
    const std::string_view text = lines[i].substr(prefix.size());
    if (text.starts_with(' ') || text.starts_with('\t')) {
      parts[i] = is_ignored ? TracebackPart::ignored : TracebackPart::frame;
    } else if (is_exception(text)) {
      parts[i] = last;
      return;
    } else if (text.find(kBegin) != text.npos) {
      if (has_begun) return;
      has_begun = true;
      parts[i] = last;
    }
  }
}

}  // namespace

std::vector<TracebackPart> traceback_parts(const std::vector<std::string_view>& lines) {
  std::vector<TracebackPart> parts(lines.size(), TracebackPart::none);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (parts[i] == TracebackPart::ignored) continue;
    for (const std::string_view mark : {"Exception ignored ", "--- Logging error ---"}) {
      const std::size_t at = lines[i].find(mark);
      if (at == lines[i].npos) continue;
      parts[i] = TracebackPart::ignored;
      mark_block(lines, i + 1, lines[i].substr(0, at), parts, TracebackPart::ignored);
    }
    const std::size_t at = lines[i].find(kBegin);
    if (parts[i] == TracebackPart::ignored || at == lines[i].npos) continue;
    mark_block(lines, i + 1, prefix_of(lines[i], at), parts, TracebackPart::exception);
  }
  return parts;
}

}  // namespace dlscale::runner
