// SPDX-License-Identifier: Apache-2.0
// Which processor cores a rank and the devices of one process compute on.
#pragma once

#include <string>
#include <vector>

namespace dlscale::trainer {

// How many threads LibTorch computes with on this rank.

/// One operator at a time on `cores` threads. To be called once, before the first operator.
void use_threads(int cores);

// Which processor cores the devices of one process compute on.

/// A hardware thread, by the system's number, and the core it is of.
struct Processor {
  int number = 0;
  int core = 0;  ///< number of the core's first hardware thread
};

/// Those that this thread may run on, core after core.
std::vector<Processor> usable_processors();

/// How `groups` devices lie on the machine.
struct CoreGroups {
  /// Hardware threads of each device; none where the devices are left to the system.
  std::vector<std::vector<int>> processors;
  std::string words;  ///< for people
};

/// Deals the processors out where they are exactly as many as `groups` devices of `cores_each`
/// want, be it hardware threads or cores: whoever started the process then gave it these alone. Of
/// more, others may have some; fewer are shared.
CoreGroups deal_out(const std::vector<Processor>& processors, int groups, int cores_each);

/// Ties this thread, and those it starts from now on, to these hardware threads.
void bind_to(const std::vector<int>& processors);

}  // namespace dlscale::trainer
