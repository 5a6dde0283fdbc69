// SPDX-License-Identifier: Apache-2.0
// Words as they are compared: without blanks around them, without capitals.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Without the spaces and tabs before and behind it.
std::string_view trimmed(std::string_view text);

/// Of ASCII; other characters stay.
std::string lower_case_of(std::string text);

}  // namespace dlscale::analysis
