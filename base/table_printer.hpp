// SPDX-License-Identifier: Apache-2.0
// Prints tables of text with aligned columns for terminals.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dlscale::base {

/// Returns the number of terminal columns of UTF-8 `text`, without regard to combining marks and
/// wide glyphs.
std::size_t display_width(std::string_view text);

/// Returns the header, a horizontal rule and the rows as text with a final newline. Columns are
/// right-aligned if all their cells look like numbers or are "-". Every row must have as many cells
/// as the header.
std::string print_table(const std::vector<std::string>& header,
                        const std::vector<std::vector<std::string>>& rows);

}  // namespace dlscale::base
