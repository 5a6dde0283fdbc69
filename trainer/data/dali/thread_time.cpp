// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/thread_time.hpp"

#include <filesystem>
#include <fstream>
#include <string>

namespace dlscale::trainer::dali {

double threads_busy_s() {
  constexpr double kNanosecond = 1e-9;
  double busy_ns = 0;
  std::error_code error;
  for (std::filesystem::directory_iterator it("/proc/self/task", error), end; !error && it != end;
       it.increment(error)) {
    std::string name;
    std::getline(std::ifstream(it->path() / "comm"), name);
    if (!name.starts_with("[DALI]")) continue;
    double running_ns = 0;  // the first number, of a thread that may have ended meanwhile
    std::ifstream(it->path() / "schedstat") >> running_ns;
    busy_ns += running_ns;
  }
  return busy_ns * kNanosecond;
}

}  // namespace dlscale::trainer::dali
