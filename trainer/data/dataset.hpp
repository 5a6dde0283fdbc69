// SPDX-License-Identifier: Apache-2.0
// Data sets and the table of data sets. A data set holds images of one size in memory as bytes,
// images of any size that loaders decode later, or texts as token numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

class PictureSource;  // defined in data/picture_files.hpp

struct ImageShape {
  int channels = 1;
  int height = 0;
  int width = 0;
  std::int64_t values() const { return std::int64_t{1} * channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

/// Texts as lists of tokens, stored consecutively in one array.
class TokenLists {
 public:
  void add(std::span<const std::int32_t> tokens) {
    tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
    ends_.push_back(static_cast<std::int64_t>(tokens_.size()));
  }
  std::int64_t size() const { return static_cast<std::int64_t>(ends_.size()); }
  std::span<const std::int32_t> operator[](std::int64_t text) const {
    const auto i = static_cast<std::size_t>(text);
    const std::int64_t first = i == 0 ? 0 : ends_[i - 1];
    return std::span(tokens_).subspan(static_cast<std::size_t>(first),
                                      static_cast<std::size_t>(ends_[i] - first));
  }

 private:
  std::vector<std::int32_t> tokens_;
  std::vector<std::int64_t> ends_;
};

/// Samples of one split.
/// - Images have labels, and either pixels in memory or a source of encoded images.
/// - Texts to classify have text and labels.
/// - Texts to translate have text and translation.
struct Split {
  std::vector<std::uint8_t> pixels;                    ///< images x channels x height x width
  std::vector<std::uint16_t> labels;                   ///< class number of each sample, from 0
  std::shared_ptr<const PictureSource> pictures = {};  ///< source of images of any size, or null
  TokenLists text = {};
  TokenLists translation = {};
  std::int64_t size() const {
    return labels.empty() ? text.size() : static_cast<std::int64_t>(labels.size());
  }
  /// Returns the pixels of a sample. The images repeat cyclically when there are fewer images than
  /// samples.
  const std::uint8_t* image(std::int64_t sample, const ImageShape& shape) const {
    const std::int64_t values = shape.values();
    return pixels.data() + sample % (static_cast<std::int64_t>(pixels.size()) / values) * values;
  }
  /// Returns a sort key for each sample. The sampler sorts texts by this key, so that samples of
  /// similar length are in the same batch. Returns an empty vector for images.
  std::vector<std::int64_t> lengths() const;
};

/// A data set with its training and test split. A model receives the image values
/// (pixel / 255 - mean) / deviation, with one mean and one deviation per channel.
struct Dataset {
  ImageShape shape;  ///< shape of an image that a model receives
  int classes = 0;
  std::vector<double> mean;
  std::vector<double> deviation;
  Split train;
  Split test;
  std::string sha256 = {};   ///< digest of all samples before the choice of a subset (docs/data.md)
  std::string skipped = {};  ///< lines about skipped files, shown to the user
  int words = 0;             ///< vocabulary size of texts, including special tokens
  int target_words = 0;      ///< vocabulary size of translations

  bool is_text() const { return words > 0; }
  /// Returns the shape of one model input. The length of texts varies, so a text counts as one
  /// token.
  std::vector<std::int64_t> sample_shape() const;
};

/// Completes a set of images that was read from files. Computes the digest of the set, compares the
/// digest with spec.sha256, and then removes the classes and samples that `spec` does not request.
/// Throws base::RunError (contract::kExitData) if the digest differs or if too few classes or
/// samples are left.
void keep_requested_samples(Dataset& images, const contract::DatasetSpec& spec);

/// Throws base::RunError (contract::kExitData) if spec.sha256 is set and differs from `sha256`.
void require_digest(const std::string& sha256, const contract::DatasetSpec& spec);

/// Returns the number of samples to keep. `asked` = 0 keeps all samples. Throws base::RunError
/// (contract::kExitData) when fewer than `asked` samples are left in the split `what`.
std::int64_t samples_to_keep(std::int64_t left, std::int64_t asked, const std::string& what);

/// Returns the number of classes to keep. `asked` = 0 keeps all classes. Throws base::RunError
/// (contract::kExitData) when the data set has fewer than `asked` classes.
int classes_to_keep(int classes, int asked);

struct DatasetEntry {
  const char* name;
  const char* summary;
  /// Loads the data set. `spec.path` has its variables expanded (data/data_file.hpp). The result is
  /// the same on every rank. Throws base::RunError (contract::kExitData) with a message that names
  /// the file and the remedy.
  Dataset (*load)(const contract::DatasetSpec& spec);
  const char* samples = "images";       ///< kind of samples: "images" or "text"
  const char* task = "classification";  ///< task; images also support "reconstruction"
  bool is_generated = false;            ///< true for data without files
  bool any_size = false;                ///< true when images support dataset.image_size
  const char* shape = "";               ///< default shape of images, "" for any shape
  std::int64_t train_samples = 0;       ///< default number of training samples, for generated data
};

base::Table<DatasetEntry> dataset_table();

}  // namespace dlscale::trainer
