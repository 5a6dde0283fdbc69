// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/nccl_facts.hpp"

#include <algorithm>
#include <fstream>

#include "base/text.hpp"

namespace dlscale::analysis {
namespace {

/// Largest number of bytes that are read from a file. NCCL prints its facts when the ranks connect,
/// which is early in the output.
constexpr std::size_t kMostBytes = std::size_t{4} << 20;
constexpr std::size_t kMostValues = 16;  // largest number of different values of an entry

using Values = std::vector<std::string>;

void add_value(Values& values, std::string_view value) {
  const bool known = std::find(values.begin(), values.end(), value) != values.end();
  if (!value.empty() && !known && values.size() < kMostValues) values.emplace_back(value);
}

std::string_view first_word(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t\r"));
}

/// Returns the word that ends at the end of `text`.
std::string_view last_word(std::string_view text) {
  return text.substr(text.find_last_of(" \t") + 1);
}

void read_version(std::string_view line, Values& versions) {
  constexpr std::string_view kVersion = "NCCL version ";
  const std::size_t at = line.find(kVersion);
  if (at == std::string_view::npos) return;
  const std::string_view version = first_word(line.substr(at + kVersion.size()));
  if (!version.empty() && base::is_digit(version.front())) add_value(versions, version);
}

void read_channels(std::string_view line, Values& channels) {
  const std::size_t at = line.find(" coll channels");
  if (at == std::string_view::npos) return;
  const std::string_view number = last_word(line.substr(0, at));
  if (std::all_of(number.begin(), number.end(), base::is_digit)) add_value(channels, number);
}

/// Reads "AllReduce: 4194304 Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..1}". Older
/// versions print numbers and no name of the collective: "4194304 Bytes -> Algo 1 proto 2
/// time 70.5".
void read_algorithm(std::string_view line, Values& algorithms) {
  constexpr std::string_view kArrow = " Bytes -> Algo ", kProto = " proto ";
  const std::size_t at = line.find(kArrow);
  if (at == std::string_view::npos) return;
  const std::string_view rest = line.substr(at + kArrow.size());
  const std::size_t proto = rest.find(kProto);
  if (proto == std::string_view::npos) return;
  const std::string_view algorithm = rest.substr(0, proto);
  const std::string_view protocol = first_word(rest.substr(proto + kProto.size()));
  if (algorithm.empty() || algorithm.find(' ') != std::string_view::npos || protocol.empty())
    return;
  const std::string_view before = line.substr(0, at);
  const std::string_view bytes = last_word(before);
  const std::string_view name = base::trimmed(before.substr(0, before.size() - bytes.size()), " ");
  std::string value;
  if (name.ends_with(':')) value = std::string(last_word(name)) + " ";
  value += "Algo " + std::string(algorithm) + " proto " + std::string(protocol);
  add_value(algorithms, value);
}

std::string joined_values(const Values& values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "" : "; ") + value;
  return text;
}

std::string beginning_of(const std::filesystem::path& file) {
  std::error_code unreadable;
  const std::uintmax_t size = std::filesystem::file_size(file, unreadable);
  if (unreadable || size == 0) return {};
  std::ifstream stream(file, std::ios::binary);
  std::string text(std::min<std::uintmax_t>(size, kMostBytes), '\0');
  stream.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, stream.gcount())));
  return text;
}

}  // namespace

std::map<std::string, std::string> nccl_facts(std::string_view text) {
  Values versions, channels, algorithms;
  if (text.find("NCCL") == std::string_view::npos) return {};
  for (const std::string_view line : base::lines_of(text)) {
    if (line.find("NCCL") == std::string_view::npos) continue;
    read_version(line, versions);
    if (line.find("NCCL INFO ") == std::string_view::npos) continue;
    read_channels(line, channels);
    read_algorithm(line, algorithms);
  }
  std::map<std::string, std::string> facts;
  if (!versions.empty()) facts["nccl"] = joined_values(versions);
  if (!channels.empty()) facts["nccl_channels"] = joined_values(channels);
  if (!algorithms.empty()) facts["nccl_algorithms"] = joined_values(algorithms);
  return facts;
}

std::map<std::string, std::string> nccl_facts_in(const std::vector<std::filesystem::path>& files) {
  std::string text;
  for (const std::filesystem::path& file : files) text += beginning_of(file) + "\n";
  return nccl_facts(text);
}

}  // namespace dlscale::analysis
