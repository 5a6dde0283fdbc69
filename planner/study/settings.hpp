// SPDX-License-Identifier: Apache-2.0
// Lists every key of [training] and every axis of [matrix], a row for each.
#pragma once

#include <span>
#include <utility>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Returns the keys of [training]. Each of these keys may also be an axis.
const std::vector<Setting>& training_settings();

/// Returns the keys of [matrix]: first the keys that are always axes, then the keys of [training].
const std::vector<Setting>& axis_settings();

/// Pair of keys that exclude each other.
using Alternative = std::pair<const char*, const char*>;
std::span<const Alternative> alternatives();

/// Calls `found` for each key of a table such as [matrix] or [training] that is a setting in
/// `settings` or a `parameters.NAME`. The setting of a parameter is made from its value, or from
/// the first value of an axis. Throws base::SpecError for other keys.
void match_settings(const config::Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const config::Item&)>& found);

/// Returns a value as expressions see the value. Lists become text.
config::Value seen_value(const config::Node& node);

}  // namespace dlscale::planner
