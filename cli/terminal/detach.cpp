// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal/detach.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "base/error.hpp"

namespace dlscale::cli {
namespace {

int open_or_throw(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  if (descriptor >= 0) return descriptor;
  throw base::RunError(fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
}

}  // namespace

bool detach(const std::filesystem::path& log) {
  const int out = open_or_throw(log, O_WRONLY | O_APPEND | O_CREAT);
  const int nothing = open_or_throw("/dev/null", O_RDONLY);
  std::cout.flush();
  const pid_t child = ::fork();
  if (child < 0) throw base::RunError(fmt::format("cannot fork: {}", std::strerror(errno)));
  if (child > 0) {
    std::cout << fmt::format("goes on as process {}; its output: {}\n", child, log.string());
    return false;
  }
  ::setsid();
  ::dup2(nothing, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  ::close(nothing);
  ::close(out);
  return true;
}

}  // namespace dlscale::cli
