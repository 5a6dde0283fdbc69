// SPDX-License-Identifier: Apache-2.0
#include "base/registry.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace dlscale::base {
namespace {

/// Returns the optimal string alignment distance: the number of inserted, deleted and replaced
/// characters and of swapped neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_ago, previous(b.size() + 1), current(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({previous[j] + 1, current[j - 1] + 1, replace});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], two_ago[j - 2] + 1);
    }
    two_ago = previous;
    previous = current;
  }
  return previous[b.size()];
}

constexpr std::string_view kWordEnds = "_-.";  ///< characters between the words of a name

/// Returns the number of characters in the longest sequence of whole words at the beginning of
/// `choice` with which `name` also begins: 10 for "batch_norm_momentum" and "batch_norm".
std::size_t shared_words(std::string_view name, std::string_view choice) {
  std::size_t size = 0;
  for (std::size_t end = 0; end < choice.size();) {
    end = std::min(choice.find_first_of(kWordEnds, end + 1), choice.size());
    if (!name.starts_with(choice.substr(0, end))) break;
    size = end;
  }
  return size;
}

}  // namespace

std::string nearest(std::string_view name, const std::vector<std::string>& choices) {
  std::size_t best_distance = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::string best;
  for (const std::string& choice : choices) {
    const std::size_t distance = edit_distance(name, choice);
    if (distance < best_distance) {
      best_distance = distance;
      best = choice;
    }
  }
  return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& choices) {
  constexpr std::size_t kShortestWord = 4;  // shorter words begin many unrelated names
  const std::string close = nearest(name, choices);
  if (!close.empty()) return close;
  std::string best;
  std::size_t best_size = 0;
  for (const std::string& choice : choices) {
    const std::size_t size = shared_words(name, choice);
    const std::size_t first_word = std::min(choice.find_first_of(kWordEnds), choice.size());
    if (size <= best_size || first_word < kShortestWord) continue;
    best = choice;
    best_size = size;
  }
  return best;
}

namespace {

/// Returns the choices that continue the name with further words: "lr_base" and "lr_peak" for "lr".
std::vector<std::string> longer_names(std::string_view name,
                                      const std::vector<std::string>& choices) {
  std::vector<std::string> longer;
  for (const std::string& choice : choices) {
    const bool is_longer = !name.empty() && choice.size() > name.size() &&
                           choice.starts_with(name) &&
                           kWordEnds.find(choice[name.size()]) != kWordEnds.npos;
    if (is_longer && std::ranges::count(longer, choice) == 0) longer.push_back(choice);
  }
  return longer;
}

}  // namespace

std::string unknown_name(std::string_view kind, std::string_view name,
                         const std::vector<std::string>& choices) {
  std::string text = fmt::format("unknown {} \"{}\"", kind, name);
  constexpr std::size_t kMostMeant = 3;  // more names are easier to find in the list
  std::string meant = nearest(name, choices);
  const std::vector<std::string> longer = longer_names(name, choices);
  if (meant.empty() && longer.size() <= kMostMeant)
    meant = fmt::format("{}", fmt::join(longer, "\" or \""));
  if (meant.empty()) meant = suggestion(name, choices);
  if (!meant.empty()) text += fmt::format("; did you mean \"{}\"?", meant);
  text += fmt::format(" (known: {})", fmt::join(choices, ", "));
  return text;
}

}  // namespace dlscale::base
