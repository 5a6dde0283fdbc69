// SPDX-License-Identifier: Apache-2.0
// The options of `dlscale collect LOG... -o DIR`.
#pragma once

#include "workspace/collect/collect_logs.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares the options; `options` must outlive the parsing.
void add_log_options(CLI::App& app, workspace::LogOptions& options);

/// Throws base::UsageError when one of them is given without the folder that all of them need.
void check_log_options(const workspace::LogOptions& options);

}  // namespace dlscale::cli
