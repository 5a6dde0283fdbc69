// SPDX-License-Identifier: Apache-2.0
// Reads batches of pictures that are yet to be decoded, and draws what is cut out of them.
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

/// A batch, and what reading it has cost.
struct ReadBatch {
  Encoded encoded = {};
  std::vector<std::int64_t> taken;  ///< sample of each picture: asked for, or in its place
  int epoch = 0;
  double busy_s = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  ///< broken pictures that others took the place of
};

/// What to read from, and what then happens; both outlive the reader.
struct ReaderSettings {
  const PictureSource& source;
  const PictureRecipe& recipe;
  BrokenPictures broken = {};
};

/// Used by one thread.
class EncodedReader {
 public:
  explicit EncodedReader(const ReaderSettings& settings)
      : settings_(settings), reader_(settings.source.make_reader()) {}

  /// Throws base::RunError (contract::kExitData) naming the first picture that cannot be read.
  ReadBatch read(std::vector<std::int64_t> samples, int epoch);
  /// Puts the next whole one into the place of a picture that turned out to be broken; where that
  /// is an error throws as read(), with `problem`.
  void replace(ReadBatch& batch, std::size_t place, const std::string& problem);

 private:
  /// Reads into a place the first whole picture from its sample on, which itself is broken where
  /// there is a `problem`.
  void fill(ReadBatch& batch, std::size_t place, const std::string& problem);
  void read_one(ReadBatch& batch, std::size_t place, std::int64_t sample);

  const base::SystemClock clock_;
  const ReaderSettings settings_;
  std::unique_ptr<PictureReader> reader_;
};

}  // namespace dlscale::trainer::dali
