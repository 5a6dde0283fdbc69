// SPDX-License-Identifier: Apache-2.0
// A document as TOML text again.
#pragma once

#include <string>

#include "config/toml/document.hpp"

namespace dlscale::config {

/// Reads back as the same values in the same order, but that keys stand before the tables beside
/// them. Throws base::SpecError for a document that is no table.
std::string toml_text(const Node& document);

}  // namespace dlscale::config
