// SPDX-License-Identifier: Apache-2.0
// How two JSON texts differ.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::contract {

/// Dotted keys whose values differ or that only one of two JSON objects has, sorted; lists count as
/// values. How the texts are laid out does not matter. Throws base::SpecError, naming `file`, when
/// `before` is no JSON object; `after` must be one.
std::vector<std::string> differing_keys(std::string_view before, std::string_view after,
                                        std::string_view file);

}  // namespace dlscale::contract
