// SPDX-License-Identifier: Apache-2.0
// One study over another: what a study says over what it extends, a sub-study over its study.
#pragma once

#include "config/toml/document.hpp"

namespace dlscale::planner {

/// Tables are merged key by key, where `top` replaces what `base` has; lists of tables (zip,
/// include, exclude, override, substudy) are appended. A setting that `top` gives in [matrix],
/// [[zip]] or [training] replaces the base's of that name in the others, too, and its alternative
/// (batch_per_gpu and global_batch, …). What is no table where one belongs is left for its reader
/// to refuse.
void overlay(config::Node& base, const config::Node& top);

}  // namespace dlscale::planner
