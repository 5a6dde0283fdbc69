// SPDX-License-Identifier: Apache-2.0
// Fuzz target for the image decoder. The input is decoded completely or in part and scaled, or
// rejected.
#include <cstddef>
#include <cstdint>

#include "images/decode.hpp"
#include "images/resize.hpp"

using namespace dlscale::images;

namespace {

/// Range of rows or columns of a part, from a single pixel to the whole size.
struct Stretch {
  int first, length;
};

Stretch stretch_of(std::uint32_t choice, int size) {
  const auto length = 1 + static_cast<int>(choice % static_cast<std::uint32_t>(size));
  const auto places = static_cast<std::uint32_t>(size - length + 1);
  return {static_cast<int>(choice / 7 % places), length};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Larger images would make the fuzzer slower and reach no other code.
  constexpr std::int64_t kMostPixelsHere = 1 << 20;
  // The decoder keeps its state between inputs, like the decoder of a loader.
  static Decoder decoder;
  static Resizer resizer;
  try {
    const Size picture = decoder.open({data, size});
    if (std::int64_t{picture.height} * picture.width > kMostPixelsHere) return 0;
    // Take the choice from the middle of the file, because a change at either end prevents
    // decoding.
    const std::uint32_t choice = data[size / 2] * 65537u + data[size / 3] * 257u + data[size / 4];
    Box part = whole(picture);
    if (choice % 4 != 0) {
      const Stretch down = stretch_of(choice, picture.height),
                    along = stretch_of(choice / 5, picture.width);
      part = {down.first, along.first, down.length, along.length};
    }
    resizer.resize(decoder.decode(part), {16, 16},
                   choice % 3 == 0 ? Resample::bilinear : Resample::antialiased);
  } catch (const BrokenPicture&) {
    return 0;
  }
  return 0;
}
