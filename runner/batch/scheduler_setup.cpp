// SPDX-License-Identifier: Apache-2.0
// Determines the properties of this machine and its user that job schedulers need.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <thread>

#include "runner/batch/job_scheduler.hpp"

namespace dlscale::runner {
namespace {

/// Returns the GPUs in $CUDA_VISIBLE_DEVICES. If the variable is not set, returns the numbers of
/// all GPUs of the driver (/dev/nvidia0, …).
std::vector<std::string> visible_gpus() {
  std::vector<std::string> gpus;
  if (const char* visible = std::getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream stream(visible);
    for (std::string gpu; std::getline(stream, gpu, ',');) gpus.push_back(gpu);
    return gpus;
  }
  int count = 0;
  while (std::filesystem::exists("/dev/nvidia" + std::to_string(count))) {
    gpus.push_back(std::to_string(count++));
  }
  return gpus;
}

std::string user_name() {
  const passwd* const entry = ::getpwuid(::geteuid());
  return entry == nullptr ? std::to_string(::geteuid()) : entry->pw_name;
}

}  // namespace

Machine this_machine() {
  return {std::max(1, static_cast<int>(std::thread::hardware_concurrency())), visible_gpus()};
}

SchedulerSetup scheduler_setup(CommandRunner& commands, const base::Clock& clock) {
  const Machine machine = this_machine();
  return {commands, clock, machine.cores, user_name(), machine.gpus};
}

}  // namespace dlscale::runner
