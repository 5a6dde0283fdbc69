// SPDX-License-Identifier: Apache-2.0
// From a sample's picture of any size to the image of one size that a model takes, and what happens
// when a picture is broken.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "images/crop.hpp"
#include "images/normalise.hpp"
#include "images/resize.hpp"
#include "trainer/data/picture_files.hpp"

namespace dlscale::trainer {

// What happens when a picture turns out to be broken: another takes its place, or the run ends.

struct BrokenPictures {
  /// How many samples the split has, where a broken picture's place is taken by the next one that
  /// is whole; 0: it is an error.
  std::int64_t replacements = 0;
  /// Of a test set nothing is replaced, whatever the run says: it would be another one.
  bool of_test_set = false;
};

/// Throws base::RunError (contract::kExitData) that names the sample, its problem and what helps.
[[noreturn]] void fail_broken(const PictureSource& source, const BrokenPictures& what,
                              std::int64_t sample, const std::string& problem);

/// Calls `make` with `sample` and, while it throws images::BrokenPicture and `what` allows it, with
/// the samples behind it. Returns the one that was made. Throws as fail_broken().
template <class Make>
std::int64_t make_whole(const PictureSource& source, const BrokenPictures& what,
                        std::int64_t sample, const Make& make) {
  std::string problem;
  std::int64_t taken = sample;
  for (std::int64_t tried = 0; tried == 0 || tried < what.replacements; ++tried) {
    if (tried > 0) taken = (taken + 1) % what.replacements;
    try {
      make(taken);
      return taken;
    } catch (const images::BrokenPicture& broken) {
      if (problem.empty()) problem = broken.what();
    }
  }
  fail_broken(source, what, sample, problem);
}

// From a sample's picture of any size to the image of one size that a model takes.

/// What is done to a picture.
struct PictureRecipe {
  int side = 224;             ///< of the square that a model takes
  bool is_random = false;     ///< a random part is taken; else the middle
  images::CropBounds bounds;  ///< of random parts
  bool random_flip = false;   ///< half of the images are mirrored
  int shorter_side = 256;     ///< a picture is scaled to, before the middle is cut out
  images::Resample resample = images::Resample::antialiased;
  std::uint64_t seed = 0;
  images::Layout layout = images::Layout::planes;
  /// How pixels become numbers; nothing: they stay bytes.
  std::optional<images::Normalisation> normalisation = {};

  /// Of an image.
  std::int64_t values() const { return std::int64_t{images::kColours} * side * side; }
  std::int64_t bytes() const { return values() * (normalisation ? sizeof(float) : 1); }
};

/// How one picture is cut.
struct Cut {
  images::Box part;
  bool mirrored = false;
};

/// For a recipe that is random. Of seed, epoch and sample alone, so that it is the same whatever
/// rank or thread takes the sample, and after a resume.
Cut draw_cut(const PictureRecipe& recipe, images::Size picture, int epoch, std::int64_t sample);

/// One for each thread.
class PictureMaker {
 public:
  /// Both outlive the maker.
  PictureMaker(const PictureSource& source, const PictureRecipe& recipe)
      : recipe_(recipe), reader_(source.make_reader()) {}
  /// Writes recipe.values() floats or bytes. Throws images::BrokenPicture.
  void make(std::int64_t sample, int epoch, void* out);
  std::int64_t bytes_read() const { return reader_->bytes_read(); }

 private:
  const PictureRecipe& recipe_;
  std::unique_ptr<PictureReader> reader_;
  images::Resizer resizer_;
};

}  // namespace dlscale::trainer
