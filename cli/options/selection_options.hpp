// SPDX-License-Identifier: Apache-2.0
// --run, --where and --allow-empty: the options that select runs of a plan, the same on every verb.
#pragma once

#include "workspace/runs/selection.hpp"

namespace CLI {
class App;
}

namespace dlscale::cli {

/// How runs are named beside --run.
enum class RunArguments { none, positional };

/// Declares --run, --where and --allow-empty; with RunArguments::positional ids and globs may also
/// follow the arguments declared before. `choice` must outlive the parsing.
void add_selection_options(CLI::App& app, workspace::SelectionChoice& choice,
                           RunArguments arguments);

}  // namespace dlscale::cli
