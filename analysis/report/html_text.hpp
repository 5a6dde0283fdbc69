// SPDX-License-Identifier: Apache-2.0
// Escapes texts for HTML and for SVG inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// Returns the text with all characters escaped that have a meaning in HTML. The result can be used
/// as HTML text and in quoted attributes. Line breaks and tabs become spaces. Control characters
/// and invalid UTF-8 become U+FFFD.
std::string html_text(std::string_view text);

}  // namespace dlscale::analysis
