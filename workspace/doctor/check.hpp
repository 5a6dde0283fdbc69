// SPDX-License-Identifier: Apache-2.0
// Defines the result of one check of `dlscale doctor`.
#pragma once

#include <string>
#include <vector>

#include "contract/records/view_records.hpp"

namespace dlscale::workspace {

using Check = contract::CheckRecord;
using Checks = std::vector<Check>;

inline constexpr const char* kOk = "ok";
/// Level of a problem that may make jobs fail or run too slowly.
inline constexpr const char* kWarn = "warn";
/// Level of a problem that prevents jobs from running.
inline constexpr const char* kFail = "fail";

inline Check ok(std::string name, std::string message) {
  return {std::move(name), kOk, std::move(message), ""};
}
/// Returns a result of level "warn". `advice` states what the user should do.
inline Check warn(std::string name, std::string message, std::string advice) {
  return {std::move(name), kWarn, std::move(message), std::move(advice)};
}
inline Check fail(std::string name, std::string message, std::string advice) {
  return {std::move(name), kFail, std::move(message), std::move(advice)};
}

}  // namespace dlscale::workspace
