// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "contract/run_spec/run_id.hpp"
#include "trainer/data/data_file.hpp"

namespace dlscale::trainer {
namespace {

template <class Value>
std::string digest_of(const std::vector<Value>& values) {
  return contract::sha256_hex(
      {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Value)});
}

std::string digest_of(const Dataset& images) {
  std::string parts;
  for (const Split* split : {&images.train, &images.test}) {
    parts += digest_of(split->pixels) + "\n" + digest_of(split->labels) + "\n";
  }
  return contract::sha256_hex(parts);
}

/// Keeps the first `count` samples of the first `classes` classes.
void keep(Split& split, std::int64_t values, int classes, std::int64_t count) {
  std::size_t kept = 0;
  const auto bytes = static_cast<std::size_t>(values);
  for (std::size_t i = 0; i < split.labels.size() && kept < static_cast<std::size_t>(count); ++i) {
    if (split.labels[i] >= classes) continue;
    if (kept != i) std::copy_n(&split.pixels[i * bytes], bytes, &split.pixels[kept * bytes]);
    split.labels[kept++] = split.labels[i];
  }
  split.labels.resize(kept);
  split.pixels.resize(kept * bytes);
}

}  // namespace

std::vector<std::int64_t> Split::lengths() const {
  constexpr std::int64_t kMoreThanAnyText = std::int64_t{1} << 32;
  std::vector<std::int64_t> lengths;
  for (std::int64_t i = 0; i < text.size(); ++i) {
    auto length = static_cast<std::int64_t>(text[i].size());
    if (translation.size() > 0) {
      // Both texts of a sample are padded to the longest text of the batch, so the longer text of
      // the sample is the main sort key. If the longer texts of two samples are equally long, the
      // samples are sorted by the length of the source text.
      const auto other = static_cast<std::int64_t>(translation[i].size());
      length = std::max(length, other) * kMoreThanAnyText + length;
    }
    lengths.push_back(length);
  }
  return lengths;
}

std::vector<std::int64_t> Dataset::sample_shape() const {
  if (target_words > 0) return {2, 1};
  if (is_text()) return {1};
  return {shape.channels, shape.height, shape.width};
}

void require_digest(const std::string& sha256, const contract::DatasetSpec& spec) {
  if (spec.sha256.empty() || spec.sha256 == sha256) return;
  refuse_data(
      fmt::format("dataset.sha256: the data set {}{}{} has SHA-256 {}, but {} is expected; fetch "
                  "its files again or correct the study",
                  spec.kind, spec.path.empty() ? "" : " in ", spec.path, sha256, spec.sha256));
}

std::int64_t samples_to_keep(std::int64_t left, std::int64_t asked, const std::string& what) {
  if (asked > left) {
    refuse_data(
        fmt::format("{} {} samples are requested, but the data set has only {}; lower "
                    "dataset.{}_samples or set it to 0 for all",
                    asked, what, left, what));
  }
  return asked == 0 ? left : asked;
}

int classes_to_keep(int classes, int asked) {
  if (asked > classes) {
    refuse_data(fmt::format("dataset.first_classes: is {}, but the data set has only {} classes",
                            asked, classes));
  }
  return asked == 0 ? classes : asked;
}

void keep_requested_samples(Dataset& images, const contract::DatasetSpec& spec) {
  images.sha256 = digest_of(images);
  require_digest(images.sha256, spec);
  images.classes = classes_to_keep(images.classes, spec.first_classes);
  const auto keep_first = [&](Split& split, std::int64_t asked, const char* what) {
    const auto left =
        std::ranges::count_if(split.labels, [&](int label) { return label < images.classes; });
    keep(split, images.shape.values(), images.classes, samples_to_keep(left, asked, what));
    if (split.labels.empty()) {
      refuse_data(
          fmt::format("the {} set has no sample of the first {} classes", what, images.classes));
    }
  };
  keep_first(images.train, spec.train_samples, "train");
  keep_first(images.test, spec.test_samples, "test");
}

}  // namespace dlscale::trainer
