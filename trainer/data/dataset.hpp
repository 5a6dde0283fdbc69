// SPDX-License-Identifier: Apache-2.0
// A data set: labelled images of one size in memory, as bytes, pictures of any size that are yet to
// be read, or texts, as numbers of their words; and the table of data sets.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/registry.hpp"
#include "contract/run_spec/run_spec.hpp"

namespace dlscale::trainer {

class PictureSource;  // data/picture_files.hpp

struct ImageShape {
  int channels = 1;
  int height = 0;
  int width = 0;
  std::int64_t values() const { return std::int64_t{1} * channels * height * width; }
  bool operator==(const ImageShape&) const = default;
};

/// Texts as tokens, one behind the other in one piece of memory.
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

/// Of images pixels or where they come from, and labels; of texts text and labels, of texts to be
/// translated text and translation.
struct Split {
  std::vector<std::uint8_t> pixels;                    ///< images x channels x height x width
  std::vector<std::uint16_t> labels;                   ///< below the data set's number of classes
  std::shared_ptr<const PictureSource> pictures = {};  ///< of any size; null: all are in `pixels`
  TokenLists text = {};
  TokenLists translation = {};
  std::int64_t size() const {
    return labels.empty() ? text.size() : static_cast<std::int64_t>(labels.size());
  }
  /// The pixels of a sample. Where there are fewer images than samples they are taken in turn.
  const std::uint8_t* image(std::int64_t sample, const ImageShape& shape) const {
    const std::int64_t values = shape.values();
    return pixels.data() + sample % (static_cast<std::int64_t>(pixels.size()) / values) * values;
  }
  /// What samples are to be sorted by, so that those of a batch are of one length; empty for
  /// images.
  std::vector<std::int64_t> lengths() const;
};

/// Of images a model sees (pixel / 255 - mean) / deviation, with one mean and deviation per
/// channel.
struct Dataset {
  ImageShape shape;  ///< of an image that a model takes
  int classes = 0;
  std::vector<double> mean;
  std::vector<double> deviation;
  Split train;
  Split test;
  std::string sha256 = {};   ///< of all samples that could have been used: docs/data.md
  std::string skipped = {};  ///< lines that say which files were skipped; the user is to see them
  int words = 0;             ///< of texts: numbers that tokens may have
  int target_words = 0;      ///< of their translations

  bool is_text() const { return words > 0; }
  /// Of one input; of a text as long as one token.
  std::vector<std::int64_t> sample_shape() const;
};

/// What follows reading images from files: notes their digest and compares it with spec.sha256,
/// keeps spec.first_classes and, of these, as many samples as spec says. Throws base::RunError
/// (contract::kExitData).
void take_what_is_asked(Dataset& images, const contract::DatasetSpec& spec);

/// Throws base::RunError (contract::kExitData) where `spec` asks for another digest.
void require_digest(const std::string& sha256, const contract::DatasetSpec& spec);

/// Throws base::RunError (contract::kExitData) when fewer than `asked` samples are left in the
/// split `what`. Returns how many to keep: 0 asks for all.
std::int64_t samples_to_keep(std::int64_t left, std::int64_t asked, const std::string& what);

/// Throws base::RunError (contract::kExitData) when fewer classes are there than `asked` for.
/// Returns how many to keep: 0 asks for all.
int classes_to_keep(int classes, int asked);

struct DatasetEntry {
  const char* name;
  const char* summary;
  /// `spec.path` has its variables expanded (data/data_file.hpp). The result is the same on
  /// every rank. Throws base::RunError (contract::kExitData) naming the file and the remedy.
  Dataset (*load)(const contract::DatasetSpec& spec);
  const char* samples = "images";       ///< or "text"
  const char* task = "classification";  ///< that its targets are for; images also are their own
  bool is_generated = false;            ///< there are no files
  bool any_size = false;                ///< of images: heeds dataset.image_size
  const char* shape = "";               ///< of images, unless a setting says otherwise; "": any
  std::int64_t train_samples = 0;       ///< of a generated set, unless the run says how many
};

base::Table<DatasetEntry> dataset_table();

}  // namespace dlscale::trainer
