// SPDX-License-Identifier: Apache-2.0
// Values in job scripts: quoted where a shell reads them, checked where a batch system does.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace dlscale::planner {

// Follows the quoting of bash through a script, to tell where a quoted word stays one word.

class Quoting {
 public:
  /// The next piece of the script.
  void read(std::string_view text);
  /// False within '…', "…", `…`, $((…)) and here-documents, where quotes are no quotes. Command
  /// substitutions begin anew, and nothing matters in a comment.
  bool takes_words() const;

 private:
  enum class In { words, single_quotes, ansi_quotes, double_quotes, backticks, arithmetic };
  void read_one(char c);
  void read_in_words(char c);
  void read_in_double_quotes(char c);
  void read_in_arithmetic(char c);
  void read_in_here_document(char c);
  void read_delimiter(char c);

  std::vector<In> levels_{In::words};  // the innermost last; each ( makes one
  char last_ = '\n';
  bool escaped_ = false;  // by a backslash just read
  bool comment_ = false;
  int parentheses_ = 0;           // open ones of the arithmetic
  int arrows_ = 0;                // of "<<" just read
  bool reads_delimiter_ = false;  // of a here-document
  std::string delimiter_;         // of the here-document that begins on the next line, or has begun
  bool in_here_document_ = false;
  std::string line_;  // of the here-document
};

/// One word of bash that stands for exactly this value and never spans lines: bare when nothing in
/// it is special, else '…', with control characters $'…'. Throws base::SpecError for NUL, which no
/// word of a shell can hold.
std::string shell_quote(std::string_view value);

/// A value that cannot stand where the template wants it.
struct UnfitValue : base::SpecError {
  /// `line` is the directive, empty on shell lines.
  UnfitValue(const base::Location& where, std::string_view line, std::string what_is_wrong)
      : base::SpecError(where, line, what_is_wrong), problem(std::move(what_is_wrong)) {}
  std::string problem;
  std::size_t index = 0;  ///< of the value
  std::string name;       ///< what templates call it, where that is known
};

struct DirectiveRule;

/// Stands in a text where value number `index` goes.
std::string place_mark(std::size_t index);

/// Throws base::SpecError for text that could pass for a place_mark, or that holds NUL.
void refuse_marks(std::string_view text);

/// A script with places for values.
class ScriptText {
 public:
  /// `marked` holds place_mark(i) wherever value i goes. Throws base::SpecError naming
  /// `template_file` when a value would complete the name of a directive.
  ScriptText(std::string_view marked, std::string template_file);
  /// Gives every value the form its line wants. On a line that begins with #SBATCH or #OAR, where
  /// nothing can be quoted, it stands as it is and must be made of characters the batch system
  /// takes there; everywhere else it is shell-quoted. Within quotes, here-documents and arithmetic,
  /// where quoting is not possible, it must mean nothing to a shell. Throws UnfitValue naming the
  /// template and the directive or the line.
  std::string with(std::span<const std::string_view> values) const;

 private:
  struct Place {
    std::string before;  ///< text between the place before and this one
    std::size_t index;
    const DirectiveRule* rule;  ///< of its line; null on shell lines
    bool takes_words;           ///< not within quotes
  };
  void put(std::string_view value, const Place& place, std::string& script) const;

  std::string template_file_;
  std::vector<Place> places_;
  std::string rest_;  // after the last place
  std::size_t size_ = 0;
};

}  // namespace dlscale::planner
