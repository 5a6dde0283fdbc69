// SPDX-License-Identifier: Apache-2.0
// Puts values into job scripts: values are quoted where a shell reads them, and checked where a
// batch system reads them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace dlscale::planner {

// Parser that follows the quoting of bash through a script and finds the places where a quoted word
// is read as a single word.

class Quoting {
 public:
  /// Reads the next piece of the script.
  void read(std::string_view text);
  /// Returns false inside '…', "…", `…`, $((…)) and here-documents, where quotes have no effect. A
  /// command substitution starts a new context. In a comment every place accepts words.
  bool takes_words() const;

 private:
  enum class In { words, single_quotes, ansi_quotes, double_quotes, backticks, arithmetic };
  void read_one(char c);
  void read_in_words(char c);
  void read_in_double_quotes(char c);
  void read_in_arithmetic(char c);
  void read_in_here_document(char c);
  void read_delimiter(char c);

  std::vector<In> levels_{In::words};  // stack of contexts, innermost last; each ( adds a context
  char last_ = '\n';
  bool escaped_ = false;  // true after a backslash
  bool comment_ = false;
  int parentheses_ = 0;           // number of open parentheses in arithmetic
  int arrows_ = 0;                // number of consecutive < characters just read
  bool reads_delimiter_ = false;  // true inside the delimiter after <<
  std::string delimiter_;         // delimiter of the current or next here-document
  bool in_here_document_ = false;
  std::string line_;  // current line of the here-document
};

/// Returns a bash word that stands for exactly this value and stays on a single line. The word is
/// bare when no character is special, otherwise '…', and $'…' with control characters. Throws
/// base::SpecError for NUL, which a shell word cannot contain.
std::string shell_quote(std::string_view value);

/// Error for a value that is not allowed at its place in a template.
struct UnfitValue : base::SpecError {
  /// Takes the directive in `line`, which is empty for shell lines.
  UnfitValue(const base::Location& where, std::string_view line, std::string what_is_wrong)
      : base::SpecError(where, line, what_is_wrong), problem(std::move(what_is_wrong)) {}
  std::string problem;
  std::size_t index = 0;  ///< index of the value
  std::string name;       ///< name of the value in templates, if known
};

struct DirectiveRule;

/// Returns the mark that reserves the place of value number `index` in a text.
std::string place_mark(std::size_t index);

/// Throws base::SpecError for text that contains NUL or looks like a place_mark.
void refuse_marks(std::string_view text);

/// Script with places for values.
class ScriptText {
 public:
  /// Takes a script with place_mark(i) at each place of value i. Throws base::SpecError naming
  /// `template_file` when a value would complete the name of a directive.
  ScriptText(std::string_view marked, std::string template_file);
  /// Returns the script with all values in the form that their lines require.
  /// - On a line that starts with #SBATCH or #OAR, quoting is impossible. The value is inserted
  ///   unchanged and must consist of characters that the batch system accepts there.
  /// - On other lines the value is quoted for the shell.
  /// - Inside quotes, here-documents and arithmetic, quoting is impossible. The value must not
  ///   contain characters with a special meaning in a shell.
  ///
  /// Throws UnfitValue naming the template and the directive or the line.
  std::string with(std::span<const std::string_view> values) const;

 private:
  struct Substitution {
    std::string before;  ///< text between the previous place and this place
    std::size_t index;
    const DirectiveRule* rule;  ///< rule of the line; null on shell lines
    bool takes_words;           ///< true outside quotes
  };
  void put(std::string_view value, const Substitution& place, std::string& script) const;

  std::string template_file_;
  std::vector<Substitution> places_;
  std::string rest_;  // text after the last place
  std::size_t size_ = 0;
};

}  // namespace dlscale::planner
