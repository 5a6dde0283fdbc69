// SPDX-License-Identifier: Apache-2.0
// Declares the options of `dlscale collect LOG... -o DIR`.
#pragma once

#include "workspace/collect/collect_logs.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// Declares the options. `options` must outlive the parsing of the command line.
void add_log_options(CLI::App& app, workspace::LogOptions& options);

/// Throws base::UsageError if the user gave one of the options without -o.
void check_log_options(const workspace::LogOptions& options);

}  // namespace dlscale::cli
