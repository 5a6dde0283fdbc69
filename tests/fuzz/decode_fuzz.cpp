// SPDX-License-Identifier: Apache-2.0
// Bytes that may be a picture: decoded whole or in part, scaled, or refused.
#include <cstddef>
#include <cstdint>

#include "images/decode.hpp"
#include "images/resize.hpp"

using namespace dlscale::images;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::int64_t kMostPixelsHere = 1 << 20;  // larger ones only take longer
  static Decoder decoder;  // as a loader's: what one leaves the next one meets
  static Resizer resizer;
  try {
    const Size picture = decoder.open({data, size});
    if (std::int64_t{picture.height} * picture.width > kMostPixelsHere) return 0;
    const std::uint32_t choice = data[size - 1] * 257u + data[size / 2];
    Box part = whole(picture);
    if (choice % 2 == 1) {
      part.top = static_cast<int>(choice % static_cast<std::uint32_t>(picture.height));
      part.left = static_cast<int>(choice / 3 % static_cast<std::uint32_t>(picture.width));
      part.height -= part.top;
      part.width -= part.left;
    }
    resizer.resize(decoder.decode(part), {16, 16},
                   choice % 3 == 0 ? Resample::bilinear : Resample::antialiased);
  } catch (const BrokenPicture&) {
    return 0;
  }
  return 0;
}
