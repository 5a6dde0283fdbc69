// SPDX-License-Identifier: Apache-2.0
#include "planner/shell_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace dlscale::planner {
namespace {

constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

bool is_plain(unsigned char c) {
  return c < 0x80 && (std::isalnum(c) || std::string_view("_./:@%+,-").find(static_cast<char>(c)) !=
                                             std::string_view::npos);
}

/// Directives and the characters their values may hold besides letters and digits. The first row a
/// line begins with counts. `%` is left out where batch systems replace it (%j, %jobid%).
struct DirectiveRule {
  std::string_view line_start;
  std::string_view punctuation;
};
constexpr DirectiveRule kDirectives[] = {
    {"#OAR -p", "_./:@%+,=-'<>()! "},  // SQL
    {"#OAR -O", "_./- "},
    {"#OAR -E", "_./- "},
    {"#OAR -n", "_.:@+,=- "},
    {"#OAR", "_./:@+,=-"},
    {"#SBATCH", "_./:@+,=-"},
};

const DirectiveRule* directive_of(std::string_view line) {
  for (const DirectiveRule& rule : kDirectives) {
    if (line.substr(0, rule.line_start.size()) == rule.line_start) return &rule;
  }
  return nullptr;
}

std::string character_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == ' ') return "a space";
  if (c == '\n') return "a newline";
  if (is_control(byte) || byte >= 0x80) return fmt::format("the byte 0x{:02x}", byte);
  return fmt::format("the character {}", c);
}

void check_directive_value(const DirectiveRule& rule, std::string_view line, std::string_view value,
                           const std::string& template_file) {
  const auto fail = [&](const std::string& problem) {
    throw base::SpecError({template_file}, line.substr(0, line.find_last_not_of(" =") + 1),
                          fmt::format("the value {} {}; nothing can be quoted on this line",
                                      shell_quote(value), problem));
  };
  const auto bad = std::find_if(value.begin(), value.end(), [&](unsigned char c) {
    return !(c < 0x80 && std::isalnum(c)) &&
           rule.punctuation.find(static_cast<char>(c)) == std::string_view::npos;
  });
  if (bad != value.end()) fail("holds " + character_name(*bad));
  if (value.empty()) fail("is empty");
  if (value.front() == ' ' || value.back() == ' ') fail("begins or ends with a space");
}

}  // namespace

std::string shell_quote(std::string_view value) {
  const bool option = !value.empty() && value[0] == '-';
  const auto plain = [&](unsigned char c) { return is_plain(c) || (option && c == '='); };
  if (!value.empty() && std::all_of(value.begin(), value.end(), plain)) return std::string(value);
  const bool escape = std::any_of(value.begin(), value.end(), is_control);
  std::string text = escape ? "$'" : "'";
  for (const char c : value) {
    if (is_control(static_cast<unsigned char>(c))) {
      text += c == '\n'   ? "\\n"
              : c == '\t' ? "\\t"
                          : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else if (c == '\'') {
      text += escape ? "\\'" : "'\\''";
    } else if (c == '\\' && escape) {
      text += "\\\\";
    } else {
      text += c;
    }
  }
  return text + "'";
}

std::string mark_value(std::string_view value) {
  for (const char c : {kOpen, kClose, '\0'}) {
    if (value.find(c) != std::string_view::npos) {
      throw base::SpecError({}, "",
                            fmt::format("a value for the job script holds {}", character_name(c)));
    }
  }
  return kOpen + std::string(value) + kClose;
}

std::string place_values(std::string_view rendered, const std::string& template_file) {
  std::string script;
  std::size_t line_start = 0;
  while (!rendered.empty()) {
    if (rendered[0] != kOpen) {
      script += rendered[0];
      if (rendered[0] == '\n') line_start = script.size();
      rendered.remove_prefix(1);
      continue;
    }
    const std::size_t end = rendered.find(kClose);
    const std::string_view value = rendered.substr(1, end - 1);
    const std::string_view line = std::string_view(script).substr(line_start);
    if (const DirectiveRule* rule = directive_of(line)) {
      check_directive_value(*rule, line, value, template_file);
      script += value;
    } else {
      script += shell_quote(value);
    }
    rendered.remove_prefix(end + 1);
  }
  return script;
}

}  // namespace dlscale::planner
