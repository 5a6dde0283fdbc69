// SPDX-License-Identifier: Apache-2.0
// Finds the keys whose values differ between two JSON texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Compares two JSON objects. Returns the dotted keys that only one object has and the dotted keys
/// whose values differ, sorted. A list is compared as one value. White space in the texts is
/// ignored. Throws base::SpecError, which names `file`, if `before` is not a JSON object. `after`
/// must be a JSON object.
std::vector<std::string> differing_keys(std::string_view before, std::string_view after,
                                        std::string_view file);

}  // namespace dlscale::contract
