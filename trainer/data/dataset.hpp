// SPDX-License-Identifier: Apache-2.0
// A data set in memory: labelled images of one size, as bytes; and the table of data sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec.hpp"

namespace dlscale::trainer {

struct ImageShape {
  int channels = 1;
  int height = 0;
  int width = 0;
  std::int64_t values() const { return std::int64_t{1} * channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

struct Split {
  std::vector<std::uint8_t> pixels;   ///< images x channels x height x width
  std::vector<std::uint16_t> labels;  ///< below the data set's number of classes
  std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
  /// The pixels of a sample. Where there are fewer images than samples they are taken in turn.
  const std::uint8_t* image(std::int64_t sample, const ImageShape& shape) const {
    const std::int64_t values = shape.values();
    return pixels.data() + sample % (static_cast<std::int64_t>(pixels.size()) / values) * values;
  }
};

/// A model sees (pixel / 255 - mean) / deviation, with one mean and deviation per channel.
struct Dataset {
  ImageShape shape;
  int classes = 0;
  std::vector<double> mean;
  std::vector<double> deviation;
  Split train;
  Split test;
};

/// Keeps only the first `count` samples; 0 keeps all. Throws base::RunError (contract::kExitData)
/// when there are fewer; `what` names the split in the message.
void keep_first(Split& split, const ImageShape& shape, std::int64_t count, const std::string& what);

struct DatasetEntry {
  const char* name;
  const char* summary;
  /// `spec.path` has its variables expanded (data/dataset_path.hpp). The result is the same on
  /// every rank. Throws base::RunError (contract::kExitData) naming the file and the remedy.
  Dataset (*load)(const contract::DatasetSpec& spec);
};

base::Table<DatasetEntry> dataset_table();

}  // namespace dlscale::trainer
