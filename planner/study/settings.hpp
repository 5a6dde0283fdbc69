// SPDX-License-Identifier: Apache-2.0
// Every key of [training] and every axis of [matrix], one row each.
#pragma once

#include <span>
#include <utility>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Keys of [training]; each may also be an axis.
const std::vector<Setting>& training_settings();

/// Keys of [matrix]: the axes proper, then those of [training].
const std::vector<Setting>& axis_settings();

/// Two keys of which a study gives one.
using Alternative = std::pair<const char*, const char*>;
std::span<const Alternative> alternatives();

/// Calls `found` for each key of a [matrix], [training] or the like that is one of the settings or
/// a `parameters.NAME`, whose setting is made of the item's value (of the first, for an axis).
/// Throws base::SpecError for other keys.
void match_settings(const config::Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const config::Item&)>& found);

/// As expressions see a value; lists are shown as text.
config::Value seen_value(const config::Node& node);

}  // namespace dlscale::planner
