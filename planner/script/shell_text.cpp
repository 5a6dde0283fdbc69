// SPDX-License-Identifier: Apache-2.0
#include "planner/script/shell_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.hpp"
#include "base/text.hpp"

namespace dlscale::planner {

void Quoting::read(std::string_view text) {
  for (const char c : text) {
    read_one(c);
    last_ = c;
  }
}

bool Quoting::takes_words() const {
  if (in_here_document_) return false;
  return comment_ || levels_.back() == In::words;
}

void Quoting::read_one(char c) {
  if (in_here_document_) return read_in_here_document(c);
  if (reads_delimiter_) read_delimiter(c);
  if (comment_ && c != '\n') return;
  comment_ = false;
  if (escaped_) {
    escaped_ = false;
    return;
  }
  const In in = levels_.back();
  if (c == '\\' && in != In::single_quotes) {
    escaped_ = true;
  } else if (in == In::words) {
    read_in_words(c);
  } else if (in == In::arithmetic) {
    read_in_arithmetic(c);
  } else if (in == In::double_quotes) {
    read_in_double_quotes(c);
  } else if (c == (in == In::backticks ? '`' : '\'')) {
    levels_.pop_back();
  }
}

void Quoting::read_in_words(char c) {
  if (c != '<' && arrows_ == 2) {
    reads_delimiter_ = true;
    delimiter_.clear();
    read_delimiter(c);
  }
  arrows_ = c == '<' ? arrows_ + 1 : 0;
  if (c == '\'') {
    levels_.push_back(last_ == '$' ? In::ansi_quotes : In::single_quotes);
  } else if (c == '"') {
    levels_.push_back(In::double_quotes);
  } else if (c == '`') {
    levels_.push_back(In::backticks);
  } else if (c == '#' && std::string_view(" \t\n;|&(").find(last_) != std::string_view::npos) {
    comment_ = true;
  } else if (c == '(' && last_ == '(') {
    levels_.back() = In::arithmetic;  // replaces the level of the first "("
    parentheses_ = 1;
  } else if (c == '(') {
    levels_.push_back(In::words);
  } else if (c == ')' && levels_.size() > 1) {
    levels_.pop_back();
  } else if (c == '\n' && !delimiter_.empty()) {
    in_here_document_ = true;
    line_.clear();
  }
}

void Quoting::read_in_double_quotes(char c) {
  if (c == '"') {
    levels_.pop_back();
  } else if (c == '`') {
    levels_.push_back(In::backticks);
  } else if (c == '(' && last_ == '$') {
    levels_.push_back(In::words);
  }
}

void Quoting::read_in_arithmetic(char c) {
  if (c == '(') ++parentheses_;
  if (c == ')' && --parentheses_ < 0) levels_.pop_back();
}

/// Reads a character of the delimiter after "<<" or "<<-". The delimiter may be quoted.
void Quoting::read_delimiter(char c) {
  const bool quote = c == '\'' || c == '"' || c == '\\';
  const bool ends = std::string_view(" \t\n;|&()<>").find(c) != std::string_view::npos;
  if (delimiter_.empty() && (c == '-' || c == ' ' || c == '\t')) return;
  if (ends) reads_delimiter_ = false;
  if (!ends && !quote) delimiter_ += c;
}

void Quoting::read_in_here_document(char c) {
  if (c != '\n') {
    if (c != '\t' || !line_.empty()) line_ += c;
    return;
  }
  in_here_document_ = line_ != delimiter_;
  if (!in_here_document_) delimiter_.clear();
  line_.clear();
}

/// Directive of a batch system. `punctuation` lists the characters that its values may contain in
/// addition to letters and digits. The first row of kDirectives that matches the start of a line
/// applies. `%` is missing in the rows of directives in which batch systems replace it (%j,
/// %jobid%).
struct DirectiveRule {
  std::string_view line_start;
  std::string_view punctuation;
};

namespace {

constexpr DirectiveRule kDirectives[] = {
    {"#OAR -p", "_./:@%+,=-'<>()! "},  // the value is SQL
    {"#OAR -O", "_./-"},  // path in the plan folder; oarsub cannot read script paths with spaces
    {"#OAR -E", "_./-"},
    {"#OAR -n", "_.:@+,=- "},
    {"#OAR", "_./:@+,=-"},
    {"#SBATCH --constraint", "_./:@+,=-&|*[]()"},
    {"#SBATCH", "_./:@+,=-"},
};

constexpr char kOpen = '\x01';
constexpr char kClose = '\x02';

bool is_control(unsigned char c) {
  return c < 0x20 || c == 0x7f;
}

bool is_word_character(unsigned char c) {
  return c < 0x80 && std::isalnum(c);
}

const DirectiveRule* directive_of(std::string_view line) {
  for (const DirectiveRule& rule : kDirectives) {
    if (line.starts_with(rule.line_start)) return &rule;
  }
  return nullptr;
}

/// Returns whether this text may be the beginning of a directive, for example "#" or "#SB".
bool begins_directive(std::string_view line) {
  return !line.empty() && std::any_of(std::begin(kDirectives), std::end(kDirectives),
                                      [&](const DirectiveRule& rule) {
                                        return rule.line_start.substr(0, line.size()) == line;
                                      });
}

std::string_view last_line(std::string_view text) {
  return text.substr(text.rfind('\n') + 1);  // without a newline, npos + 1 is 0
}

std::string character_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (c == ' ') return "a space";
  if (c == '\n') return "a newline";
  if (is_control(byte) || byte >= 0x80) return fmt::format("the byte 0x{:02x}", byte);
  return fmt::format("the character {}", c);
}

[[noreturn]] void refuse_character(char c) {
  throw base::SpecError({}, "",
                        fmt::format("a value for the job script contains {}", character_name(c)));
}

void check_directive_value(const DirectiveRule& rule, std::string_view line, std::string_view value,
                           const std::string& template_file) {
  const auto fail = [&](const std::string& problem) {
    throw UnfitValue({template_file}, line.substr(0, line.find_last_not_of(" =") + 1),
                     fmt::format("the value {} {}; values on this line cannot be quoted",
                                 shell_quote(value), problem));
  };
  const auto bad = std::find_if(value.begin(), value.end(), [&](unsigned char c) {
    return !is_word_character(c) &&
           rule.punctuation.find(static_cast<char>(c)) == std::string_view::npos;
  });
  if (bad != value.end()) fail("contains " + character_name(*bad));
  if (value.empty()) fail("is empty");
  if (value.front() == ' ' || value.back() == ' ') fail("begins or ends with a space");
}

[[noreturn]] void refuse_within_quotes(std::string_view value, std::string_view line,
                                       const std::string& template_file) {
  throw UnfitValue(
      {template_file}, "",
      fmt::format("the value {} follows {}, inside quotes, a here-document or arithmetic, where it "
                  "cannot be quoted; remove the quotes: values are quoted where necessary",
                  shell_quote(value),
                  shell_quote(line.substr(std::min(line.find_first_not_of(' '), line.size())))));
}

}  // namespace

std::string shell_quote(std::string_view value) {
  if (value.find('\0') != std::string_view::npos) refuse_character('\0');
  return base::shell_quote(value);
}

std::string place_mark(std::size_t index) {
  return kOpen + std::to_string(index) + kClose;
}

void refuse_marks(std::string_view text) {
  for (const char c : {kOpen, kClose, '\0'}) {
    if (text.find(c) != std::string_view::npos) refuse_character(c);
  }
}

ScriptText::ScriptText(std::string_view marked, std::string template_file)
    : template_file_(std::move(template_file)) {
  std::string_view rest = marked;
  Quoting quoting;
  for (std::size_t open; (open = rest.find(kOpen)) != std::string_view::npos;) {
    const std::size_t close = rest.find(kClose, open);
    Substitution place{std::string(rest.substr(0, open)), 0, nullptr, true};
    quoting.read(place.before);
    place.takes_words = quoting.takes_words();
    // The letter stands for the value, which contains no shell syntax.
    quoting.read("x");
    std::from_chars(rest.data() + open + 1, rest.data() + close, place.index);
    const std::string_view line = last_line(marked.substr(0, marked.size() - rest.size() + open));
    place.rule = directive_of(line);
    if (place.rule == nullptr && begins_directive(line)) {
      throw base::SpecError(
          {template_file_}, "",
          fmt::format("{}{{{{…}}}}: a value cannot be part of the name of a directive", line));
    }
    size_ += place.before.size();
    places_.push_back(std::move(place));
    rest.remove_prefix(close + 1);
  }
  rest_ = rest;
  size_ += rest_.size();
}

void ScriptText::put(std::string_view value, const Substitution& place, std::string& script) const {
  if (place.rule != nullptr) {
    check_directive_value(*place.rule, last_line(script), value, template_file_);
    script += value;
  } else if (place.takes_words) {
    script += shell_quote(value);
  } else if (value.empty() || shell_quote(value) == value) {
    script += value;
  } else {
    refuse_within_quotes(value, last_line(script), template_file_);
  }
}

void ScriptText::put_expansion(std::string_view value, const Substitution& place,
                               std::string& script) const {
  if (place.rule == nullptr && place.takes_words) {
    script += value;
    return;
  }
  throw UnfitValue({template_file_}, "",
                   "the value is known only when the job starts, and cannot stand inside quotes, a "
                   "here-document, arithmetic or a directive; remove the quotes");
}

std::string ScriptText::with(std::span<const std::string_view> values,
                             std::size_t first_expansion) const {
  std::size_t size = size_;
  for (const Substitution& place : places_) size += values[place.index].size();
  std::string script;
  script.reserve(size);
  for (const Substitution& place : places_) {
    script += place.before;
    try {
      if (place.index < first_expansion) {
        put(values[place.index], place, script);
      } else {
        put_expansion(values[place.index], place, script);
      }
    } catch (UnfitValue& error) {
      error.index = place.index;
      throw;
    }
  }
  return script += rest_;
}

}  // namespace dlscale::planner
