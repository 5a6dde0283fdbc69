// SPDX-License-Identifier: Apache-2.0
// What a trainer build can do: `dlscale-train --capabilities`, read by `dlscale plan`.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

struct Capabilities {
  std::string version;
  std::map<std::string, std::string> built_with;             ///< "torch": "2.11.0", "mpi": "…"
  std::map<std::string, std::vector<std::string>> families;  ///< family → names (see vocabulary)
  bool has(std::string_view family, std::string_view name) const;
  bool operator==(const Capabilities&) const = default;
};

std::string to_json(const Capabilities& capabilities);
/// Throws base::SpecError; `file` is only named in messages.
Capabilities capabilities_from_json(std::string_view text, std::string_view file);

}  // namespace dlscale::contract
