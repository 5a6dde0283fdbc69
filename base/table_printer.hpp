// SPDX-License-Identifier: Apache-2.0
// A table of text with aligned columns, for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::base {

/// Columns a terminal needs to show UTF-8 `text` (combining marks and wide glyphs aside).
std::size_t display_width(std::string_view text);

/// Header, rule and rows; columns whose cells all look like numbers (or "-") are right-aligned.
/// Every row must have as many cells as the header. Ends with a newline.
std::string print_table(const std::vector<std::string>& header,
                        const std::vector<std::vector<std::string>>& rows);

}  // namespace dlscale::base
