// SPDX-License-Identifier: Apache-2.0
// Runs bash commands for tests.
#pragma once

#include <stdio.h>
#include <sys/wait.h>

#include <string>

#include "planner/script/shell_text.hpp"

namespace dlscale::test {

struct ShellResult {
  int exit_code;
  std::string out;
};

/// Runs a bash command line with standard error joined to the output.
inline ShellResult run_bash(const std::string& command) {
  const std::string line = "exec bash -c " + planner::shell_quote(command) + " 2>&1";
  FILE* pipe = ::popen(("bash -c " + planner::shell_quote(line)).c_str(), "r");
  ShellResult result{-1, ""};
  char buffer[4096];
  for (std::size_t n; (n = ::fread(buffer, 1, sizeof buffer, pipe)) > 0;) {
    result.out.append(buffer, n);
  }
  const int status = ::pclose(pipe);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace dlscale::test
