// SPDX-License-Identifier: Apache-2.0
// A GPU, or what else ranks compute on, as its data sheet has it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "predict/all_reduce.hpp"
#include "predict/units.hpp"

namespace dlscale::predict {

struct Device {
  std::string name;                           ///< "a100-sxm4-40gb": of its file
  std::string title;                          ///< for people
  std::map<std::string, FlopPerSecond> peak;  ///< by precision, as studies say it
  BytesPerSecond memory_bandwidth;
  Bytes memory;                    ///< that programs can have, as PyTorch prints its total capacity
  Bytes context;                   ///< of that, what a process takes before its first tensor
  Link peer;                       ///< to the others of its node
  std::vector<std::string> match;  ///< parts of the name that its driver gives it
};

/// What the roofline needs of it.
struct Rates {
  FlopPerSecond peak;
  BytesPerSecond memory_bandwidth;
};

/// Throws base::UsageError for a precision that the device has no peak for; it names those it has.
Rates rates_of(const Device& device, const std::string& precision);

}  // namespace dlscale::predict
