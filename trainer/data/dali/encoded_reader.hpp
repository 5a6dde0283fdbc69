// SPDX-License-Identifier: Apache-2.0
// Reader for batches of encoded images, which also draws the crop of each image.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "trainer/data/dali/pipeline.hpp"
#include "trainer/data/picture_maker.hpp"

namespace dlscale::trainer::dali {

/// A batch of encoded images and the cost of reading it.
struct ReadBatch {
  Encoded encoded = {};
  std::vector<std::int64_t> taken;  ///< requested sample of each image, or its replacement
  int epoch = 0;
  double busy_s = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  ///< number of broken images that were replaced
};

/// Source and settings of a reader. `source` and `recipe` must outlive the reader.
struct ReaderSettings {
  const PictureSource& source;
  const PictureRecipe& recipe;
  BrokenPictures broken = {};
};

/// Reader for batches of encoded images. Only one thread may use a reader.
class EncodedReader {
 public:
  explicit EncodedReader(const ReaderSettings& settings)
      : settings_(settings), reader_(settings.source.make_reader()) {}

  /// Reads the encoded images of `samples`. Throws base::RunError (contract::kExitData), with the
  /// name of the first unreadable image, if a broken image is an error.
  ReadBatch read(std::vector<std::int64_t> samples, int epoch);
  /// Replaces the broken image at `place` by the next valid image of the split. `problem` describes
  /// why the image is broken. If a broken image is an error, throws like read(), with `problem` in
  /// the message.
  void replace(ReadBatch& batch, std::size_t place, const std::string& problem);

 private:
  /// Reads the first valid image at or after the sample at `place`. A non-empty `problem` marks the
  /// sample at `place` itself as broken.
  void fill(ReadBatch& batch, std::size_t place, const std::string& problem);
  void read_one(ReadBatch& batch, std::size_t place, std::int64_t sample);

  const base::SystemClock clock_;
  const ReaderSettings settings_;
  std::unique_ptr<PictureReader> reader_;
};

}  // namespace dlscale::trainer::dali
