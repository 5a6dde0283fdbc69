// SPDX-License-Identifier: Apache-2.0
// How texts stand in HTML and in SVG inside it.
#pragma once

#include <string>
#include <string_view>

namespace dlscale::analysis {

/// For text and for quoted attributes: no byte of it is markup. Line breaks and tabs become spaces;
/// control characters and what is no UTF-8 become U+FFFD.
std::string html_text(std::string_view text);

}  // namespace dlscale::analysis
