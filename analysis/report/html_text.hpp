// SPDX-License-Identifier: Apache-2.0
// Escapes texts for HTML and for SVG inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Returns the text for use as HTML text and in quoted attributes. The result contains no markup.
/// Line breaks and tabs become spaces. Control characters and invalid UTF-8 become U+FFFD.
std::string html_text(std::string_view text);

}  // namespace dlscale::analysis
