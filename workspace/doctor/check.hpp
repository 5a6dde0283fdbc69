// SPDX-License-Identifier: Apache-2.0
// Result of one check of `dlscale doctor`.
#pragma once

#include <string>
#include <vector>

#include "contract/records/view_records.hpp"

namespace dlscale::workspace {

using Check = contract::CheckRecord;
using Checks = std::vector<Check>;

inline constexpr const char* kOk = "ok";
inline constexpr const char* kWarn = "warn";  ///< jobs may fail or run slower than possible
inline constexpr const char* kFail = "fail";  ///< jobs cannot run

inline Check ok(std::string name, std::string message) {
  return {std::move(name), kOk, std::move(message), ""};
}
/// Adds a result. `advice` states what to do.
inline Check warn(std::string name, std::string message, std::string advice) {
  return {std::move(name), kWarn, std::move(message), std::move(advice)};
}
inline Check fail(std::string name, std::string message, std::string advice) {
  return {std::move(name), kFail, std::move(message), std::move(advice)};
}

}  // namespace dlscale::workspace
