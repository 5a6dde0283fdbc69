// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/rank_process.hpp"

#include <signal.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <string>

namespace dlscale::trainer {

std::uint64_t process_space() {
  struct stat info {};
  return ::stat("/proc/self/ns/pid", &info) == 0 ? info.st_ino : 0;
}

bool has_ended(pid_t process) {
  if (::kill(process, 0) != 0) return errno == ESRCH;
  // An ended process stays in the process table as a zombie (state Z) until its parent has waited
  // for it. In /proc/<pid>/stat the state follows the program name. The name is in brackets and may
  // contain brackets, so the code searches for the last closing bracket.
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  return name_end != std::string::npos && line.substr(name_end).starts_with(") Z");
}

}  // namespace dlscale::trainer
