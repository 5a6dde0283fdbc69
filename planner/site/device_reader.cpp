// SPDX-License-Identifier: Apache-2.0
#include "planner/site/device_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.hpp"
#include "base/registry.hpp"
#include "config/toml/fields.hpp"

namespace dlscale::planner {
namespace fs = std::filesystem;
namespace {

constexpr double kLeast = 1e-9;  // lower bound of numbers that must be positive
// Names of the precisions in studies.
constexpr const char* kPrecisions[] = {"fp32", "fp64", "tf32", "bf16", "fp16"};

void read_peaks(predict::Device& device, const config::Item& item) {
  for (const config::Entry& entry : item.table()) {
    const config::Item peak{entry.node, item.key + "." + entry.key};
    if (std::find(std::begin(kPrecisions), std::end(kPrecisions), entry.key) ==
        std::end(kPrecisions)) {
      throw base::SpecError(entry.where, peak.key,
                            base::unknown_name("precision", entry.key,
                                               {std::begin(kPrecisions), std::end(kPrecisions)}));
    }
    device.peak[entry.key] = predict::teraflops(peak.number(kLeast));
  }
}

const std::vector<config::Field<predict::Device>>& device_fields() {
  using predict::Device;
  static const std::vector<config::Field<Device>> fields{
      {"title", [](Device& d, const config::Item& item) { d.title = item.word(); }},
      {"match", [](Device& d, const config::Item& item) { d.match = item.texts(); }},
      {"peak_tflops", read_peaks},
      {"memory_gbs",
       [](Device& d, const config::Item& item) {
         d.memory_bandwidth = predict::gigabytes_per_s(item.number(kLeast));
       }},
      {"memory_gib",
       [](Device& d, const config::Item& item) {
         d.memory = predict::kGibibyte * item.number(kLeast);
       }},
      {"context_gib",
       [](Device& d, const config::Item& item) {
         d.context = predict::kGibibyte * item.number(0);
       }},
      {"peer_gbs",
       [](Device& d, const config::Item& item) {
         d.peer.bandwidth = predict::gigabytes_per_s(item.number(kLeast));
       }},
      {"peer_latency_us",
       [](Device& d, const config::Item& item) {
         d.peer.latency = predict::microseconds(item.number(0));
       }},
  };
  return fields;
}

/// Returns the device name in a folder that equals `name`, or the only device name that starts with
/// `name`. Throws base::UsageError for an unknown or ambiguous name.
std::string whole_name(const std::string& name, const fs::path& folder) {
  const std::vector<std::string> known = devices_in(folder);
  std::vector<std::string> begun;
  for (const std::string& each : known) {
    if (each == name) return name;
    if (each.starts_with(name)) begun.push_back(each);
  }
  if (begun.size() == 1) return begun.front();
  if (begun.size() > 1) {
    throw base::UsageError(
        fmt::format("ambiguous device \"{}\": {} begin with this text; name one of them", name,
                    fmt::join(begun, " and ")));
  }
  throw base::UsageError(base::unknown_name("device", name, known) +
                         "; a path to a device file must end in .toml");
}

}  // namespace

predict::Device read_device(std::string_view text, const fs::path& file) {
  const config::Node root = config::parse_document(text, file.string());
  predict::Device device;
  device.name = file.stem();
  device.title = device.name;
  config::read_fields(config::Item{root, ""}, device_fields(), device);
  for (const char* key : {"peak_tflops", "memory_gbs", "memory_gib", "peer_gbs"}) {
    if (config::find_key(config::Item{root, ""}.table(), key) == nullptr) {
      throw base::SpecError({file.string()}, key, "missing");
    }
  }
  return device;
}

std::vector<std::string> devices_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".toml") names.push_back(entry.path().stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

predict::Device find_device(const std::string& name, const fs::path& folder) {
  const bool is_path = fs::path(name).extension() == ".toml";
  const fs::path file = is_path ? fs::path(name) : folder / (whole_name(name, folder) + ".toml");
  try {
    return read_device(base::read_text_file(file), file);
  } catch (const base::RunError& error) {
    throw base::UsageError(error.what());
  }
}

}  // namespace dlscale::planner
