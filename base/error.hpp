// SPDX-License-Identifier: Apache-2.0
// What can go wrong, as exception types; only the two programs' mains catch them.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace dlscale::base {

/// Base of every error the project throws. `what()` is one line without a trailing newline,
/// fit to be shown to a user; `exit_code()` is what the program should end with.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, int exit_code)
      : std::runtime_error(message), exit_code_(exit_code) {}
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// The command line asks for something that cannot be (exit 2).
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(message, 2) {}
};

/// Where in a text something was read. Line and column count from 1; 0 means unknown.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

/// A study, site, template or run description says something wrong (exit 2).
/// Reads as `file:line:column: key.path: message`; unknown parts are left out.
class SpecError : public Error {
 public:
  SpecError(const Location& where, std::string_view key_path, std::string_view message);
  const Location& where() const { return where_; }
  const std::string& key_path() const { return key_path_; }

 private:
  Location where_;
  std::string key_path_;
};

/// Something outside the program failed: a file, a process, a rank. The exit code is 1 unless
/// the thrower has a more telling one (the trainer's codes are in contract/run_outcome.hpp).
class RunError : public Error {
 public:
  explicit RunError(const std::string& message, int exit_code = 1) : Error(message, exit_code) {}
};

/// The line and column (both from 1) of byte `offset` of `text`.
Location locate(std::string_view file, std::string_view text, std::size_t offset);

}  // namespace dlscale::base
