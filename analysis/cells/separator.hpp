// SPDX-License-Identifier: Apache-2.0
// The character between the cells of a CSV file.
#pragma once

#include <string_view>

namespace dlscale::analysis {

/// Comma, semicolon or tab, whichever the heading has most of outside of quotation marks.
char separator_of(std::string_view heading);

}  // namespace dlscale::analysis
