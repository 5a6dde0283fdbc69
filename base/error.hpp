// SPDX-License-Identifier: Apache-2.0
// Defines the exception types of the project, which the main functions of the programs catch.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace dlscale::base {

/// Base class of every error that the project throws. `what()` is one line without a trailing
/// newline and can be shown to a user. `exit_code()` is the exit code of the program.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, int exit_code)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// Error for a command line that requests something impossible (exit 2).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, 2) {}
};

/// Position in a text. Line and column count from 1, and 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Error in a study, site, template or run description (exit 2). The message has the form
/// `file:line:column: key.path: message`. Unknown parts are left out.
class SpecError : public Error {
 public:
  SpecError(const Location& where, std::string_view key_path, std::string_view message);
  const Location& where() const { return where_; }
  const std::string& key_path() const { return key_path_; }

 private:
  Location where_;
  std::string key_path_;
};

/// Failure outside the program: of a file, a process or a rank. The exit code is 1 unless the
/// thrower passes a more specific code (the trainer's codes are in contract/run_outcome.hpp).
class RunError : public Error {
 public:
  explicit RunError(const std::string& message, int exit_code = 1) : Error(message, exit_code) {}
};

/// Returns the line and column (both from 1) of byte `offset` of `text`.
Location locate(std::string_view file, std::string_view text, std::size_t offset);

}  // namespace dlscale::base
