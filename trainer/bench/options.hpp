// SPDX-License-Identifier: Apache-2.0
// Options of the benchmarks' command lines, and the values that they take.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dlscale::trainer {

/// What is done with an option's value.
using TakeValue = std::function<void(const std::string& option, const std::string& value)>;

struct OptionTable {
  std::map<std::string, TakeValue> valued;                 ///< by name: "--seconds"
  std::map<std::string, std::function<void()>> flags;      ///< those without a value
  std::function<void(const std::string& word)> word = {};  ///< not an option; null: refused
};

/// Throws base::UsageError: an unknown option, with the nearest; a value that is missing.
void read_options(const std::vector<std::string>& arguments, const OptionTable& table);

/// Each throws base::UsageError that names the option where the value is none.
int whole_value(const std::string& option, const std::string& value, int least);
/// Above 0.
double positive_value(const std::string& option, const std::string& value);
/// "4", "8KiB", "256MiB", "1GiB", "1MB".
std::int64_t bytes_value(const std::string& option, const std::string& value);
/// Words with commas between, each one of `known`.
std::vector<std::string> words_value(const std::string& option, const std::string& value,
                                     const std::vector<std::string>& known);
/// One of `known`; `kind` says what it is.
const std::string& known_value(const std::string& kind, const std::string& value,
                               const std::vector<std::string>& known);
/// Whole numbers of at least `least` with commas between.
std::vector<std::int64_t> counts_value(const std::string& option, const std::string& value,
                                       std::int64_t least);

}  // namespace dlscale::trainer
