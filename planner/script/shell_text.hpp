// SPDX-License-Identifier: Apache-2.0
// Inserts values into job scripts. Values are quoted where a shell reads them, and checked where a
// batch system reads them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace dlscale::planner {

// Parser that follows the quoting of bash through a script. It finds the places where bash would
// read a quoted word as a single word.

class Quoting {
 public:
  /// Reads the next piece of the script.
  void read(std::string_view text);
  /// Returns whether bash would read a quoted word at this place as a single word. This is false
  /// inside '…', "…", `…`, $((…)) and here-documents, where quotes have no effect. It is true
  /// inside $(…), even if the $(…) is inside quotes. In a comment every place accepts words.
  bool takes_words() const;

 private:
  enum class In { words, single_quotes, ansi_quotes, double_quotes, backticks, arithmetic };
  void read_one(char c);
  void read_in_words(char c);
  void read_in_double_quotes(char c);
  void read_in_arithmetic(char c);
  void read_in_here_document(char c);
  void read_delimiter(char c);

  std::vector<In> levels_{In::words};  // stack of contexts, innermost last; each "(" adds a context
  char last_ = '\n';
  bool escaped_ = false;  // true after a backslash
  bool comment_ = false;
  int parentheses_ = 0;           // number of open parentheses in arithmetic
  int arrows_ = 0;                // number of consecutive < characters just read
  bool reads_delimiter_ = false;  // true while the delimiter after << is read
  std::string delimiter_;         // delimiter of the current or next here-document
  bool in_here_document_ = false;
  std::string line_;  // current line of the here-document
};

/// Returns the value as a bash word, see base::shell_quote(). Throws base::SpecError for NUL, which
/// a shell word cannot contain.
std::string shell_quote(std::string_view value);

/// Error for a value that is not allowed at its place in a template.
struct UnfitValue : base::SpecError {
  /// Creates the error. `line` is the directive, or empty on lines that the shell reads.
  UnfitValue(const base::Location& where, std::string_view line, std::string what_is_wrong)
      : base::SpecError(where, line, what_is_wrong), problem(std::move(what_is_wrong)) {}
  std::string problem;
  std::size_t index = 0;  ///< index of the value in ScriptText::with()
  std::string name;       ///< name of the value in templates, if known
};

struct DirectiveRule;

/// Returns a placeholder for value number `index`, which ScriptText replaces.
std::string place_mark(std::size_t index);

/// Throws base::SpecError for text that contains NUL or the control characters of place_mark().
void refuse_marks(std::string_view text);

/// Script with placeholders that are replaced by values.
class ScriptText {
 public:
  /// Parses a script in which place_mark(i) stands for value i. Throws base::SpecError naming
  /// `template_file` if a value would become part of the name of a directive.
  ScriptText(std::string_view marked, std::string template_file);
  /// Returns the script with all values in the form that their lines require.
  /// - A line that starts with #SBATCH or #OAR cannot contain quotes. The value is inserted
  ///   unchanged and must consist of characters that the batch system accepts there.
  /// - On other lines the value is quoted for the shell.
  /// - Inside quotes, here-documents and arithmetic, the value cannot be quoted again. It must not
  ///   contain characters with a special meaning in a shell.
  ///
  /// Values from index `first_expansion` on are words of the shell, such as "$PWD" in double
  /// quotes. They are inserted unchanged where the shell reads words, and refused elsewhere.
  ///
  /// Throws UnfitValue for a value that is not allowed at its place. The error names the template
  /// and the directive or the line.
  std::string with(std::span<const std::string_view> values,
                   std::size_t first_expansion = kNoExpansion) const;

  static constexpr std::size_t kNoExpansion = static_cast<std::size_t>(-1);

 private:
  struct Substitution {
    std::string before;  ///< text between the previous place and this place
    std::size_t index;
    const DirectiveRule* rule;  ///< rule of the line; null on shell lines
    bool takes_words;           ///< true if bash reads a quoted word here as a single word
  };
  void put(std::string_view value, const Substitution& place, std::string& script) const;
  void put_expansion(std::string_view value, const Substitution& place, std::string& script) const;

  std::string template_file_;
  std::vector<Substitution> places_;
  std::string rest_;  // text after the last place
  std::size_t size_ = 0;
};

}  // namespace dlscale::planner
