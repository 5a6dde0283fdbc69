// SPDX-License-Identifier: Apache-2.0
#include "planner/script/quoting.hpp"

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
    levels_.back() = In::arithmetic;  // the level that the first one made
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

/// The word after "<<" or "<<-", quoted or not.
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

}  // namespace dlscale::planner
