// SPDX-License-Identifier: Apache-2.0
// Parser for the command-line options of the benchmarks and their values.
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
  std::map<std::string, std::function<void()>> flags;      ///< options without a value
  std::function<void(const std::string& word)> word = {};  ///< other arguments, null to reject them
};

/// Parses the arguments. Throws base::UsageError for an unknown option, with the nearest known
/// option, and for a missing value.
void read_options(const std::vector<std::string>& arguments, const OptionTable& table);

/// Returns a whole number of at least `least`. This function and the following ones throw
/// base::UsageError with the option when the value is invalid.
int whole_value(const std::string& option, const std::string& value, int least);
/// Returns a number above 0.
double positive_value(const std::string& option, const std::string& value);
/// Returns a number of bytes, given for example as "4", "8KiB", "256MiB", "1GiB" or "1MB".
std::int64_t bytes_value(const std::string& option, const std::string& value);
/// Returns the comma-separated words of `value`, all of which must be in `known`.
std::vector<std::string> words_value(const std::string& option, const std::string& value,
                                     const std::vector<std::string>& known);
/// Returns `value`, which must be in `known`. `kind` is the term for the value in the error
/// message.
const std::string& known_value(const std::string& kind, const std::string& value,
                               const std::vector<std::string>& known);
/// Returns comma-separated whole numbers of at least `least`.
std::vector<std::int64_t> counts_value(const std::string& option, const std::string& value,
                                       std::int64_t least);

}  // namespace dlscale::trainer
