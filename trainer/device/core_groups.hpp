// SPDX-License-Identifier: Apache-2.0
// Assignment of CPU cores to a rank and to the devices of one process.
#pragma once

#include <string>
#include <vector>

namespace dlscale::trainer {

// Setting for the number of LibTorch threads of this rank.

/// Configures LibTorch to run one operator at a time, and each operator on `cores` threads. Must be
/// called once, before the first operator.
void use_threads(int cores);

// Assignment of CPU cores to the devices of one process.

/// Hardware thread and the core that contains it.
struct Processor {
  int number = 0;
  int core = 0;  ///< system number of the core's first hardware thread
};

/// Returns the hardware threads on which the operating system may run the calling thread, sorted by
/// core.
std::vector<Processor> usable_processors();

/// Placement of `groups` devices on the cores of the machine.
struct CoreGroups {
  /// Numbers of the hardware threads of each device. Empty when the operating system chooses the
  /// hardware threads.
  std::vector<std::vector<int>> processors;
  std::string words;  ///< description for users
};

/// Divides `processors`, the hardware threads that this process may use, among `groups` devices
/// with `cores_each` cores each. Assigns hardware threads to devices only if the number of hardware
/// threads or the number of cores is exactly groups x cores_each. An exact match means that the job
/// gave these processors to this process alone. If the process may use more processors, other
/// processes may use some of them. If the process may use fewer processors, several devices must
/// share a processor.
CoreGroups deal_out(const std::vector<Processor>& processors, int groups, int cores_each);

/// Restricts the calling thread to the given hardware threads. Threads that the calling thread
/// starts afterwards inherit the restriction.
void bind_to(const std::vector<int>& processors);

}  // namespace dlscale::trainer
