// SPDX-License-Identifier: Apache-2.0
// Reads TOML tables strictly. A list of fields has one row for each allowed key, and any other key
// is an error.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "config/toml/document.hpp"

namespace dlscale::config {

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();
inline constexpr std::int64_t kMostWhole = std::numeric_limits<std::int32_t>::max();
/// Limits on numbers in studies. They are far above the size of any machine, but low enough that
/// their products can be represented.
inline constexpr std::int64_t kMostGpus = 1'000'000;
inline constexpr std::int64_t kMostCoresPerRank = 4096;

/// Returns whether a shell accepts `name` as the name of a variable: letters, digits and _, and no
/// digit first.
bool is_identifier(std::string_view name);

/// Value in a TOML file with its dotted key. The functions convert the value. They throw
/// base::SpecError with the value, the key and the position if the value is not allowed.
struct Item {
  const Node& node;
  std::string key;

  [[noreturn]] void fail(std::string_view message) const;
  bool flag() const;
  std::int64_t whole(std::int64_t least, std::int64_t most = kMostWhole) const;
  /// Returns a finite number x with `least` ≤ x ≤ `most`. Whole numbers are accepted.
  double number(double least, double most = kNoLimit) const;
  /// Returns a string without NUL characters.
  const std::string& text() const;
  /// Returns a string that is not empty.
  const std::string& word() const;
  /// Returns a name that may become a folder, a job name or a directive: only letters, digits, ".",
  /// "_" and "-".
  const std::string& plain_name() const;
  /// Returns one of the choices. `kind` names the choices in messages.
  const std::string& one_of(std::string_view kind, const std::vector<std::string>& choices) const;
  /// Returns the seconds of a text "HH:MM:SS", which must be more than 0.
  double duration_s() const;
  const Table& table() const;
  /// Returns the items of a list. A value that is not a list counts as a list with one item.
  std::vector<Item> items() const;
  std::vector<double> numbers(double least) const;
  std::vector<std::string> texts() const;
};

/// Key that a table may contain. The name `inner.key` is a key of the inner table `inner`, and
/// `inner.*` stands for any key of that table.
template <class T>
struct Field {
  std::string name;
  std::function<void(T&, const Item&)> read;
};

/// Calls `found(i, item)` for each key of the table that equals `names[i]`, and for any key of an
/// inner table if `names[i]` ends in `.*`. Throws base::SpecError for any other key. The message
/// contains the most similar known key of the same table.
void match_keys(const Item& table, const std::vector<std::string>& names,
                const std::function<void(std::size_t, const Item&)>& found);

template <class T>
void read_fields(const Item& table, const std::vector<Field<T>>& fields, T& out) {
  std::vector<std::string> names;
  for (const Field<T>& field : fields) names.push_back(field.name);
  match_keys(table, names, [&](std::size_t i, const Item& item) { fields[i].read(out, item); });
}

}  // namespace dlscale::config
