// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/run_id.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iterator>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "contract/json/codec.hpp"
#include "contract/run_spec/run_spec_fields.hpp"

namespace dlscale::contract {
namespace {

constexpr std::size_t kHashDigits = 10;
constexpr int kDigestBytes = 32;

std::string slug(const RunSpec& spec) {
  std::string names;
  for (const std::string& name : {spec.framework, model_word(spec.model), spec.lr_schedule.kind}) {
    // A name that an external trainer does not state is empty.
    if (!name.empty()) names += name + "-";
  }
  return fmt::format("{}g{}-b{}", names, spec.gpus, spec.batch_per_gpu);
}

/// Keys that may differ between two plans of the same experiment, so they are not part of a run's
/// identity.
constexpr std::string_view kNotIdentity[] = {
    "resources", "checkpoint", "run_id", "repetition", "point",
    // lr.warmup_steps is left out because warmup_epochs states the same length.
    "study", "schema_version", "dataset.path", "lr.warmup_steps"};

/// Returns whether the study has an axis with this key or with a key below it. Such a key is part
/// of the identity, because the axis distinguishes points.
bool is_axis(const RunSpec& spec, std::string_view key) {
  const auto axis = spec.point.lower_bound(std::string(key));
  if (axis == spec.point.end() || !axis->first.starts_with(key)) return false;
  return axis->first.size() == key.size() || axis->first[key.size()] == '.';
}

std::string text_without(const RunSpec& spec, std::span<const std::string_view> omitted) {
  codec::TextWriter writer(codec::kOneLine, omitted);
  writer.write(spec);
  return writer.release_text();
}

/// Visitor that collects the names of the options and the texts of their values.
struct OptionTexts {
  std::vector<std::string> keys = {}, texts = {};

  explicit OptionTexts(FrameworkOptions options) { visit_fields(*this, options); }
  template <class T>
  void optional(const char* key, const T& value) {
    keys.push_back(std::string("framework_options.") + key);
    texts.push_back(codec::to_text(value, codec::kOneLine));
  }
};

/// Returns the options that have their default values. Ids leave these options out, so a new option
/// does not change the ids of runs that do not set it.
std::vector<std::string> usual_options(const FrameworkOptions& options) {
  static const OptionTexts kUsual{FrameworkOptions{}};
  const OptionTexts own(options);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < own.keys.size(); ++i) {
    if (own.texts[i] == kUsual.texts[i]) keys.push_back(own.keys[i]);
  }
  return keys;
}

std::string identity(const RunSpec& spec) {
  std::vector<std::string_view> omitted(std::begin(kNotIdentity), std::end(kNotIdentity));
  std::erase_if(omitted, [&](std::string_view key) { return is_axis(spec, key); });
  std::vector<std::string> usual;
  if (spec.framework_options == FrameworkOptions{}) {
    omitted.push_back("framework_options");
  } else {
    usual = usual_options(spec.framework_options);
    omitted.insert(omitted.end(), usual.begin(), usual.end());
  }
  return text_without(spec, omitted);
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  // The lookup is slow, so its result is kept.
  static const EVP_MD* const sha256 = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  unsigned char digest[kDigestBytes];
  if (EVP_Digest(text.data(), text.size(), digest, nullptr, sha256, nullptr) != 1) {
    throw base::RunError("libcrypto cannot compute SHA-256");
  }
  std::string hex;
  for (const unsigned char byte : digest) {
    for (const int nibble : {byte >> 4, byte & 15}) hex += "0123456789abcdef"[nibble];
  }
  return hex;
}

std::string file_word(std::string_view text) {
  std::string word(text);
  const auto is_unsafe = [](unsigned char c) {
    return c >= 128 || (!std::isalnum(c) && c != '.' && c != '_' && c != '-');
  };
  std::replace_if(word.begin(), word.end(), is_unsafe, '_');
  return word;
}

std::string model_word(std::string_view model) {
  if (!model.starts_with(kScriptModel)) return std::string(model);
  std::string word =
      file_word(std::filesystem::path(model.substr(kScriptModel.size())).stem().string());
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

std::string run_hash(const RunSpec& spec) {
  return sha256_hex(identity(spec)).substr(0, kHashDigits);
}

std::string make_run_id(const RunSpec& spec) {
  return fmt::format("{}-{}-r{}", slug(spec), run_hash(spec), spec.repetition);
}

std::string description_hash(const RunSpec& spec) {
  std::vector<std::string_view> omitted(std::begin(kNotIdentity), std::end(kNotIdentity));
  omitted.push_back("weights");
  if (spec.model.starts_with(kScriptModel)) omitted.push_back("model");
  return sha256_hex(
      fmt::format("{} {} {}", spec.run_id, spec.repetition, text_without(spec, omitted)));
}

std::string work_hash(RunSpec spec) {
  const RunSpec unset;
  spec.gpus = unset.gpus;
  spec.batch_per_gpu = unset.batch_per_gpu;
  spec.global_batch = unset.global_batch;
  spec.uneven_batch = unset.uneven_batch;
  spec.epochs = unset.epochs;
  spec.steps = unset.steps;
  spec.warmup_epochs = unset.warmup_epochs;
  spec.seed = unset.seed;
  spec.dataset.train_samples = unset.dataset.train_samples;
  spec.dataset.test_samples = unset.dataset.test_samples;
  spec.trainer.launcher = unset.trainer.launcher;
  spec.trainer.log_format = unset.trainer.log_format;
  if (!is_axis(spec, "lr")) spec.lr = unset.lr;
  if (!is_axis(spec, "lr_schedule")) spec.lr_schedule = unset.lr_schedule;
  return sha256_hex(identity(spec));
}

std::string run_id_of(std::string_view point_id, int repetition) {
  return fmt::format("{}-r{}", point_id, repetition);
}

std::string_view point_hash(std::string_view point_id) {
  const std::size_t hyphen = point_id.rfind('-');
  const bool has_hash =
      hyphen != std::string_view::npos && point_id.size() - hyphen - 1 == kHashDigits;
  return has_hash ? point_id.substr(hyphen + 1) : point_id;
}

std::string point_id(std::string_view run_id) {
  return std::string(run_id.substr(0, run_id.rfind("-r")));
}

}  // namespace dlscale::contract
