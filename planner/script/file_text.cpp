// SPDX-License-Identifier: Apache-2.0
// The problem: a value such as `a: b` or `1e-05` means something else in YAML, TOML and JSON unless
// it is written in the right form, and this form depends on the surroundings of the value. The
// idea: a small scanner for each format reads the text of the template and finds out whether a tag
// is inside quotes, inside a comment, or stands alone. The scanners do not check the file. They
// only need to agree with a parser of the format on valid files.
#include "planner/script/file_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "base/registry.hpp"
#include "base/text.hpp"
#include "planner/script/shell_text.hpp"

namespace dlscale::planner {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

/// Scanner of JSON: texts are in double quotes.
class JsonScanner {
 public:
  void read(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (quoted_ && c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      quoted_ = !quoted_;
    }
  }
  bool quoted() const { return quoted_; }

 private:
  bool quoted_ = false, escaped_ = false;
};

/// Scanner of TOML, which has four kinds of quotes, and comments.
class TomlScanner {
 public:
  enum class In { bare, comment, basic, literal, multiline_basic, multiline_literal };
  void read(char c) {
    run_ = c == last_ && !escaped_ ? run_ + 1 : 1;
    last_ = c;
    if (escaped_) {
      escaped_ = false;
      last_ = '\0';
    } else if (c == '\\' && (in_ == In::basic || in_ == In::multiline_basic)) {
      escaped_ = true;
    } else if (in_ == In::bare) {
      read_bare(c);
    } else if (in_ == In::comment || in_ == In::basic || in_ == In::literal) {
      read_line_end_or_quote(c);
    } else if (c == (in_ == In::multiline_basic ? '"' : '\'') && run_ == 3) {
      in_ = In::bare;
      last_ = '\0';
    }
  }
  In in() const { return in_; }

 private:
  void read_bare(char c) {
    if (c == '#') in_ = In::comment;
    if (c != '"' && c != '\'') return;
    // After "", either a third quote follows or the text was empty.
    const bool third = was_empty_ == c && run_ == 3;
    was_empty_ = '\0';
    if (third) {
      in_ = c == '"' ? In::multiline_basic : In::multiline_literal;
      last_ = '\0';
    } else {
      in_ = c == '"' ? In::basic : In::literal;
    }
  }
  void read_line_end_or_quote(char c) {
    const char quote = in_ == In::basic ? '"' : '\'';
    if (c == '\n') {
      in_ = In::bare;
    } else if (in_ != In::comment && c == quote) {
      in_ = In::bare;
      was_empty_ = run_ == 2 ? c : '\0';
    }
  }

  In in_ = In::bare;
  bool escaped_ = false;
  char last_ = '\0';
  int run_ = 0;            // number of equal characters just read
  char was_empty_ = '\0';  // quote of an empty text that has just ended
};

/// Scanner of YAML, whose quotes count only at the beginning of a scalar.
class YamlScanner {
 public:
  enum class In { plain, comment, single, twice, block };
  void read(char c) {
    if (c == '\n') return end_line();
    if (escaped_) {
      escaped_ = false;
    } else if (in_ == In::twice) {
      if (c == '\\') escaped_ = true;
      if (c == '"') in_ = In::plain;
    } else if (in_ == In::single) {
      if (c == '\'') in_ = In::plain;  // in '', the second ' continues the text
    } else if (in_ == In::plain) {
      read_plain(c);
    }
    line_ += c;
  }
  /// Returns the kind of YAML text that the next character belongs to. A line belongs to a block
  /// scalar if its indentation is larger than that of the scalar's key.
  In in() const {
    if (block_indent_ && in_ != In::comment && indent() > *block_indent_) return In::block;
    return in_;
  }
  /// Returns whether a scalar can begin here.
  bool begins_scalar() const {
    const std::size_t at = line_.find_last_not_of(" \t");
    if (at == std::string::npos) return true;
    const bool spaced = at + 1 < line_.size();
    if (line_[at] == '[' || line_[at] == '{' || line_[at] == ',') return flow_ > 0;
    if (line_[at] == '-' || line_[at] == '?') {
      return spaced && line_.find_first_not_of(" \t-?") == std::string::npos;
    }
    return spaced && line_[at] == ':';
  }
  bool in_flow() const { return flow_ > 0; }

 private:
  std::size_t indent() const { return std::min(line_.find_first_not_of(' '), line_.size()); }
  void read_plain(char c) {
    if (block_indent_ && indent() > *block_indent_) return;
    const bool spaced = line_.empty() || is_blank(line_.back());
    if (c == '#' && spaced) {
      in_ = In::comment;
    } else if (c == '"' && begins_scalar()) {
      in_ = In::twice;
    } else if (c == '\'' && (begins_scalar() || (!line_.empty() && line_.back() == '\''))) {
      in_ = In::single;
    } else if ((c == '[' || c == '{') && (begins_scalar() || flow_ > 0)) {
      ++flow_;
    } else if ((c == ']' || c == '}') && flow_ > 0) {
      --flow_;
    }
  }
  void end_line() {
    if (in_ == In::comment) in_ = In::plain;
    escaped_ = false;
    const bool blank = line_.find_first_not_of(" \t") == std::string::npos;
    const bool inside = block_indent_ && (blank || indent() > *block_indent_);
    if (!inside && !blank && in_ == In::plain) block_indent_ = block_after();
    line_.clear();
  }
  /// Returns the indentation of the parent of a block scalar that begins after this line, or
  /// nothing if none begins.
  std::optional<std::size_t> block_after() const {
    std::string_view line = line_;
    for (std::size_t at = 0; (at = line.find('#', at)) != std::string_view::npos; ++at) {
      if (at > 0 && is_blank(line[at - 1])) line = line.substr(0, at);
    }
    line = line.substr(0, line.find_last_not_of(" \t") + 1);
    const std::size_t sign = line.find_last_not_of("+-0123456789");
    if (sign == std::string_view::npos || (line[sign] != '|' && line[sign] != '>')) return {};
    if (sign > 0 && !is_blank(line[sign - 1])) return {};
    // The items of a list and the keys of a table in an item begin after the dashes.
    std::size_t parent = line.find_first_not_of(' ');
    while (line.substr(parent, 2) == "- " && parent + 2 < sign) {
      parent = std::min(line.find_first_not_of(' ', parent + 1), sign);
    }
    if (parent == sign) parent = line.find_first_not_of(' ');
    return parent;
  }

  In in_ = In::plain;
  bool escaped_ = false;
  int flow_ = 0;  // number of open brackets
  std::string line_;
  std::optional<std::size_t> block_indent_;
};

/// Returns whether the text after a tag ends the value of the tag.
bool ends_value(std::string_view after, std::string_view ends) {
  const std::size_t at = after.find_first_not_of(" \t");
  if (at == std::string_view::npos) return true;
  if (after[at] == '\n' || after[at] == '\r') return true;
  if (after[at] == '#') return at > 0;
  return ends.find(after[at]) != std::string_view::npos;
}

/// Returns whether a value can begin after this text.
bool begins_value(std::string_view before, std::string_view starts) {
  const std::size_t at = before.find_last_not_of(" \t");
  return at == std::string_view::npos || before[at] == '\n' ||
         starts.find(before[at]) != std::string_view::npos;
}

/// Escapes a text as in a JSON string, without the quotes around it. YAML and TOML accept the same
/// escapes.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result;
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7f; });
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = base::utf8_bytes(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// Returns whether the characters have no special meaning outside of quotes, next to other
/// characters.
bool needs_no_quotes(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return c < 128 && (std::isalnum(c) || std::string_view("_./+-").find(static_cast<char>(c)) !=
                                              std::string_view::npos);
  });
}

/// Returns a number as YAML 1.1 reads it: with a point before an exponent.
std::string yaml_number(const std::string& text) {
  const std::size_t exponent = text.find('e');
  const bool is_hexadecimal = text.starts_with("0x");
  if (exponent == std::string::npos || is_hexadecimal) return text;
  if (text.find('.') != std::string::npos) return text;
  return text.substr(0, exponent) + ".0" + text.substr(exponent);
}

constexpr std::string_view kNumberMark = "DLSCALE-LAUNCH-NUMBER",
                           kAddressMark = "DLSCALE-MASTER-ADDRESS",
                           kPortMark = "DLSCALE-MASTER-PORT";

}  // namespace

FileFormat format_of(std::string_view path) {
  const std::size_t dot = path.rfind('.');
  const std::string_view ending = dot == std::string_view::npos ? "" : path.substr(dot);
  if (ending == ".yaml" || ending == ".yml") return FileFormat::yaml;
  if (ending == ".toml") return FileFormat::toml;
  if (ending == ".json") return FileFormat::json;
  if (ending == ".sh" || ending == ".bash") return FileFormat::shell;
  return FileFormat::other;
}

FileText::FileText(std::string_view text, std::string file, FileFormat format)
    : file_(std::move(file)), format_(format) {
  std::string before;
  std::size_t done = 0;
  for (std::size_t open; (open = text.find("{{", done)) != std::string_view::npos;) {
    const base::Location where = base::locate(file_, text, open);
    const std::size_t close = text.find("}}", open);
    if (close == std::string_view::npos) throw base::SpecError(where, "", "}} is missing");
    before += text.substr(done, open - done);
    std::string_view name = text.substr(open + 2, close - open - 2);
    done = close + 2;
    if (name.starts_with('!')) {
      // A comment alone on its line is left out with its line.
      const bool begins_line = open == 0 || text[open - 1] == '\n';
      if (begins_line && text.substr(done).starts_with('\n')) ++done;
      continue;
    }
    name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
    name = name.substr(0, name.find_last_not_of(' ') + 1);
    const bool is_name =
        !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
          return c < 128 && (std::isalnum(c) || c == '_' || c == '.');
        });
    if (!is_name) {
      throw base::SpecError(where, "",
                            fmt::format("{{{{{}}}}}: a file may contain only {{{{name}}}} and "
                                        "comments {{{{! … }}}}",
                                        name));
    }
    pieces_.push_back({std::move(before), std::string(name), Context::text, where});
    before.clear();
  }
  rest_ = before + std::string(text.substr(done));
  for (const std::string_view mark : {kNumberMark, kAddressMark, kPortMark}) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) continue;
    throw base::SpecError(base::locate(file_, text, at), "",
                          fmt::format("the word {} is reserved", mark));
  }
  find_contexts();
}

void FileText::find_contexts() {
  JsonScanner json;
  TomlScanner toml;
  YamlScanner yaml;
  const auto read = [&](std::string_view text) {
    for (const char c : text) {
      if (format_ == FileFormat::json) json.read(c);
      if (format_ == FileFormat::toml) toml.read(c);
      if (format_ == FileFormat::yaml) yaml.read(c);
    }
  };
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    Piece& piece = pieces_[i];
    const bool last = i + 1 == pieces_.size();
    std::string_view after = last ? std::string_view(rest_) : pieces_[i + 1].before;
    const bool touches_next = !last && after.empty();
    const bool touches_last = i > 0 && piece.before.empty();
    read(piece.before);
    const auto alone = [&](bool begins, std::string_view ends) {
      const bool whole = begins && !touches_last && !touches_next && ends_value(after, ends);
      return whole ? Context::alone : Context::part;
    };
    if (format_ == FileFormat::json) {
      piece.context =
          json.quoted() ? Context::escaped : alone(begins_value(piece.before, ":[,{"), ",]}:");
    } else if (format_ == FileFormat::toml) {
      using In = TomlScanner::In;
      const In in = toml.in();
      piece.context = in == In::bare      ? alone(begins_value(piece.before, "=[,{."), ",]}=.")
                      : in == In::comment ? Context::text
                      : in == In::literal ? Context::literal
                      : in == In::multiline_literal ? Context::multiline_literal
                                                    : Context::escaped;
    } else if (format_ == FileFormat::yaml) {
      using In = YamlScanner::In;
      const In in = yaml.in();
      const bool is_key = after.starts_with(": ") || after.starts_with(":\n") || after == ":";
      const Context plain = is_key ? alone(yaml.begins_scalar(), ":")
                                   : alone(yaml.begins_scalar(), yaml.in_flow() ? ",]}" : "");
      piece.context = in == In::plain    ? plain
                      : in == In::single ? Context::doubled
                      : in == In::twice  ? Context::escaped
                                         : Context::text;
    }
    read("x");  // "x" stands for the value
  }
}

std::string FileText::fitted(const CommandValue& value, const Piece& piece) const {
  const std::string& text = value.text;
  const auto fail = [&](const std::string& problem) {
    const bool has_mark = text.find(kNumberMark) != std::string::npos;
    throw base::SpecError(piece.where, "",
                          fmt::format("{{{{{}}}}}: the value{} {}", piece.name,
                                      has_mark ? "" : " " + shell_quote(text), problem));
  };
  if (!is_utf8(text)) fail("is not valid UTF-8");
  switch (piece.context) {
    case Context::alone:
      if (value.kind == CommandValue::Kind::text) return '"' + escaped(text) + '"';
      return format_ == FileFormat::yaml && value.kind == CommandValue::Kind::number
                 ? yaml_number(text)
                 : text;
    case Context::part:
      if (format_ != FileFormat::yaml)
        fail("stands next to other text; write quotes around the value and the text");
      if (!needs_no_quotes(text))
        fail("needs quotes next to other text; write quotes around the value and the text");
      return text;
    case Context::escaped:
      return escaped(text);
    case Context::doubled: {
      if (has_control(text)) fail("has a line break or a control character; use double quotes");
      std::string result;
      for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
      return result;
    }
    case Context::literal:
    case Context::multiline_literal:
      if (has_control(text)) fail("has a line break or a control character; use double quotes");
      if (text.find('\'') != std::string::npos) fail("contains '; use double quotes");
      return text;
    case Context::text:
      if (has_control(text)) fail("has a line break or a control character");
      return text;
  }
  return text;
}

std::string FileText::shell_text(const std::vector<CommandValue>& values) const {
  std::string marked;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    refuse_marks(pieces_[i].before);
    marked += pieces_[i].before + place_mark(i);
  }
  marked += rest_;
  std::vector<std::string_view> texts;
  for (const CommandValue& value : values) texts.emplace_back(value.text);
  try {
    return ScriptText(marked, file_).with(texts);
  } catch (const UnfitValue& error) {
    throw base::SpecError(pieces_[error.index].where, "", error.problem);
  }
}

std::string FileText::with(const Lookup& lookup) const {
  std::vector<CommandValue> values;
  for (const Piece& piece : pieces_) {
    try {
      values.push_back(lookup(piece.name));
    } catch (const base::SpecError& error) {
      throw base::SpecError(piece.where, "", error.what());
    }
  }
  if (format_ == FileFormat::shell) return shell_text(values);
  std::string result;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    result += pieces_[i].before + fitted(values[i], pieces_[i]);
  }
  return result + rest_;
}

RunFiles::RunFiles(const Study& study) {
  for (const FileTemplate& file : study.files) {
    files_.emplace_back(file.text, file.file, format_of(file.to));
    paths_.push_back(file.to);
  }
}

std::vector<std::string> RunFiles::texts(const contract::RunSpec& run, const RunPlace& place,
                                         const Matrix& matrix) const {
  std::vector<std::string> texts;
  if (files_.empty()) return texts;
  std::map<std::string, CommandValue> values = command_values(run, place, &matrix);
  const std::string folder = values.at("run_folder").text;
  values.try_emplace("launch_folder", CommandValue{folder + "/launch-" + std::string(kNumberMark)});
  values.try_emplace("master_address", CommandValue{std::string(kAddressMark)});
  values.try_emplace("master_port",
                     CommandValue{std::string(kPortMark), CommandValue::Kind::number});
  const auto lookup = [&](const std::string& name) {
    const auto value = values.find(name);
    if (value == values.end()) {
      std::vector<std::string> names;
      for (const ScriptName& row : run_value_names()) names.push_back(row.name);
      for (const auto& [known, ignored] : values) names.push_back(known);
      throw base::SpecError({}, "", base::unknown_name("name", name, names));
    }
    const std::string missing = missing_value(name, value->second, run);
    if (!missing.empty()) throw base::SpecError({}, "", missing);
    return value->second;
  };
  for (const FileText& file : files_) texts.push_back(file.with(lookup));
  return texts;
}

}  // namespace dlscale::planner
