// SPDX-License-Identifier: Apache-2.0
// Fuzz target for record files. The target opens the input as a record file and takes and decodes
// its records, or reports an error. docs/record-files.md explains how to run the target.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "images/checksum.hpp"
#include "images/decode.hpp"
#include "images/record_file.hpp"
#include "images/record_layout.hpp"

namespace {

using namespace dlscale::images;

/// Corrects the checksums, which a fuzzer would not find, so that the fuzzer reaches the code
/// behind the checks.
void mend(std::vector<std::uint8_t>& bytes) {
  if (bytes.size() < sizeof(RecordHeader)) return;
  auto header = read_plain<RecordHeader>(bytes);
  header.magic = kRecordMagic;
  header.version = kRecordVersion;
  header.file_bytes = bytes.size();
  const std::span all(bytes);
  if (header.index_offset <= bytes.size()) {
    header.end_checksum = checksum(all.subspan(header.index_offset));
  }
  header.header_checksum = checksum(checked_part(header));
  std::memcpy(bytes.data(), &header, sizeof header);
}

/// Reads every byte of the image, so that the sanitizer checks the bounds.
int sum_of(PictureView picture) {
  int sum = 0;
  for (int y = 0; y < picture.height; ++y) {
    for (int x = 0; x < kColours * picture.width; ++x) sum += picture.row(y)[x];
  }
  return sum;
}

void decode(const Record& record, Decoder& decoder) {
  const Size size{record.height, record.width};
  if (record.encoding == Encoding::raw) {
    sum_of({record.bytes.data(), size.height, size.width, std::ptrdiff_t{kColours} * record.width});
  } else if (decoder.open(record.bytes) == size && size.height <= 4096 && size.width <= 4096) {
    sum_of(decoder.decode(
        {size.height / 3, size.width / 3, (size.height + 2) / 3, size.width - size.width / 3}));
  }
}

void read_all(const std::string& path) {
  const RecordFile file(path);
  Decoder decoder;
  std::vector<std::uint8_t> buffer;
  for (std::int64_t i = 0; i < file.size(); ++i) {
    file.will_take(i);
    file.name(i);
    try {
      decode(file.read_record(i, buffer), decoder);
    } catch (const BrokenPicture&) {
      Record record = file.entry(i);
      record.bytes = buffer;  // bytes that were read, although their checksum is wrong
      try {
        decode(record, decoder);
      } catch (const BrokenPicture&) {
      }
    }
  }
}

}  // namespace

/// Runs one input. The first byte chooses whether to correct the checksums, and the rest is the
/// file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::uint8_t> bytes(data + 1, data + size);
  if (data[0] % 4 != 0) mend(bytes);
  const int file = ::memfd_create("record file", MFD_CLOEXEC);
  if (file < 0 || ::write(file, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size())) {
    return -1;
  }
  try {
    read_all("/proc/self/fd/" + std::to_string(file));
  } catch (const dlscale::base::Error&) {
  }
  ::close(file);
  return 0;
}
