// SPDX-License-Identifier: Apache-2.0
// Bytes that may be a picture: decoded whole or in part, scaled, or refused.
#include <cstddef>
#include <cstdint>

#include "images/decode.hpp"
#include "images/resize.hpp"

using namespace dlscale::images;

namespace {

/// Where of 0 to size - 1 a part begins and how far it goes: anywhere, one pixel as well as all.
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
  constexpr std::int64_t kMostPixelsHere = 1 << 20;  // larger ones only take longer
  static Decoder decoder;  // as a loader's: what one leaves the next one meets
  static Resizer resizer;
  try {
    const Size picture = decoder.open({data, size});
    if (std::int64_t{picture.height} * picture.width > kMostPixelsHere) return 0;
    // What begins and ends the file stays as it is, or nothing is decoded.
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
