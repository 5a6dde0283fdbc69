// SPDX-License-Identifier: Apache-2.0
// Follows the quoting of bash through a script, to tell where a quoted word stays one word.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::planner {

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

}  // namespace dlscale::planner
