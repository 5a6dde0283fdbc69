// SPDX-License-Identifier: Apache-2.0
#include "trainer/comm/call_number.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>

namespace dlscale::trainer {

std::int64_t number_of(const NamedCollective& call) {
  const auto text =
      fmt::format("{} {} {} {} {}", call.name, call.data.count, static_cast<int>(call.data.type),
                  static_cast<int>(call.op), call.root);
  return static_cast<std::int64_t>(std::hash<std::string>()(text) >> 2);
}

}  // namespace dlscale::trainer
