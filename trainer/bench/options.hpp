// SPDX-License-Identifier: Apache-2.0
// Parser for the command-line options of the benchmarks and for the values of the options.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace dlscale::trainer {

/// Function that processes the value of an option.
using TakeValue = std::function<void(const std::string& option, const std::string& value)>;

struct OptionTable {
  std::map<std::string, TakeValue> valued;  ///< options with a value, by name such as "--seconds"
  std::map<std::string, std::function<void()>> flags;  ///< options without a value
  /// Function that processes any other argument. Null rejects other arguments.
  std::function<void(const std::string& word)> word = {};
};

/// Parses the arguments. Throws base::UsageError for a missing value and for an unknown option. For
/// an unknown option, the error suggests the most similar known option.
void read_options(const std::vector<std::string>& arguments, const OptionTable& table);

/// Returns the whole number in `value`, which must be at least `least`. This function and the
/// following functions throw base::UsageError when the value is invalid. The error message names
/// the option.
int whole_value(const std::string& option, const std::string& value, int least);
/// Returns the number in `value`, which must be above 0.
double positive_value(const std::string& option, const std::string& value);
/// Returns the number of bytes that `value` specifies, for example as "4", "8KiB", "256MiB", "1GiB"
/// or "1MB".
std::int64_t bytes_value(const std::string& option, const std::string& value);
/// Returns the comma-separated words of `value`, all of which must be in `known`.
std::vector<std::string> words_value(const std::string& option, const std::string& value,
                                     const std::vector<std::string>& known);
/// Returns `value`, which must be in `known`. The error message uses `kind` as the name for this
/// sort of value, for example "precision".
const std::string& known_value(const std::string& kind, const std::string& value,
                               const std::vector<std::string>& known);
/// Returns the comma-separated whole numbers in `value`, each of which must be at least `least`.
std::vector<std::int64_t> counts_value(const std::string& option, const std::string& value,
                                       std::int64_t least);

}  // namespace dlscale::trainer
