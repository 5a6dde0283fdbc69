// SPDX-License-Identifier: Apache-2.0
// Lists every key of [training] and every axis of [matrix] as settings.
#pragma once

#include <span>
#include <utility>

#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Returns the keys of [training]. Each of these keys may also be an axis.
const std::vector<Setting>& training_settings();

/// Returns the keys of [matrix]: first the keys that are always axes, then the keys of [training].
const std::vector<Setting>& axis_settings();

/// Pair of keys that exclude each other, such as batch_per_gpu and global_batch.
using Alternative = std::pair<const char*, const char*>;
std::span<const Alternative> alternatives();

/// Calls `found` for each key of a table such as [matrix] or [training]. A key must be a setting in
/// `settings`, a free parameter `parameters.NAME` or an environment variable `environment.NAME`.
/// The kind of a free parameter or of an environment variable is the kind of its value, or of its
/// first value if it is an axis. Throws base::SpecError for other keys.
void match_settings(const config::Item& table, const std::vector<Setting>& settings,
                    const std::function<void(const Setting&, const config::Item&)>& found);

/// Returns a value as conditions use it. Lists become text.
config::Value seen_value(const config::Node& node);

}  // namespace dlscale::planner
