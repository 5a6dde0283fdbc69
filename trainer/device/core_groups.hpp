// SPDX-License-Identifier: Apache-2.0
// Assignment of CPU cores to a rank and to the devices of one process.
#pragma once

#include <string>
#include <vector>

namespace dlscale::trainer {

// Number of LibTorch threads of this rank.

/// Makes LibTorch run one operator at a time on `cores` threads. Must be called once, before the
/// first operator.
void use_threads(int cores);

// Assignment of CPU cores to the devices of one process.

/// Hardware thread, identified by its system number, and its core.
struct Processor {
  int number = 0;
  int core = 0;  ///< number of the core's first hardware thread
};

/// Returns the hardware threads that this thread may run on, sorted by core.
std::vector<Processor> usable_processors();

/// Placement of `groups` devices on the cores of the machine.
struct CoreGroups {
  /// Hardware threads of each device. Empty when the operating system places the devices.
  std::vector<std::vector<int>> processors;
  std::string words;  ///< description for users
};

/// Divides the processors among `groups` devices with `cores_each` cores each. The devices are only
/// bound when the number of hardware threads or of cores matches exactly. An exact match means that
/// the process was given these processors exclusively. With more processors, other processes may
/// use some of them. With fewer processors, the devices share them.
CoreGroups deal_out(const std::vector<Processor>& processors, int groups, int cores_each);

/// Binds this thread, and the threads it starts afterwards, to the given hardware threads.
void bind_to(const std::vector<int>& processors);

}  // namespace dlscale::trainer
