// SPDX-License-Identifier: Apache-2.0
// Finds likely mistakes in the command of an external trainer.
#pragma once

#include <string>
#include <vector>

#include "planner/study/expand.hpp"
#include "planner/study/study.hpp"

namespace dlscale::planner {

/// Returns one line of text, with its place in the study, for each of these likely mistakes:
/// - All values of an axis give the same command, configuration files and environment variables.
///   Names of runs and folders do not count as differences, and the number of ranks is not checked.
///   Parameters are left to unused_parameters().
/// - A run has several ranks, the study sets no launcher, and the command starts no ranks.
/// - The command starts a program that the launcher of the study already starts.
/// - A name of a value has single braces.
/// - Quotes join an option and its value to one word.
/// - A word ends in .py or .sh, but no file has this name.
/// - A word ends in .py or .sh and begins with "..", but the command does not run in the folder of
///   the study.
///
/// `points` are the points of the study with their resources. Returns no text for a study without
/// an external trainer.
std::vector<std::string> command_warnings(const Study& study, const std::vector<Point>& points);

}  // namespace dlscale::planner
