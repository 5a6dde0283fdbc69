// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/picture_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "images/open_file.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

[[noreturn]] void fail() {
  throw images::BrokenPicture(std::strerror(errno));
}

std::size_t size_of(const images::OpenFile& file) {
  struct stat facts {};
  if (::fstat(file.number(), &facts) != 0) fail();
  return static_cast<std::size_t>(facts.st_size);
}

/// Reads up to `count` bytes and returns the number of bytes read, which is 0 at the end of the
/// file.
std::size_t read_some(const images::OpenFile& file, std::uint8_t* out, std::size_t count) {
  for (;;) {
    const ssize_t got = ::read(file.number(), out, count);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) fail();
  }
}

class FileReader : public PictureReader {
 public:
  explicit FileReader(const PictureFiles& files) : files_(files) {}

  images::Size open(std::int64_t sample) override {
    read_picture_file(files_.name(sample), bytes_);
    bytes_read_ += static_cast<std::int64_t>(bytes_.size());
    return decoder_.open(bytes_);
  }
  images::PictureView decode(const images::Box& part) override { return decoder_.decode(part); }
  std::span<const std::uint8_t> encoded() const override { return bytes_; }
  std::int64_t bytes_read() const override { return bytes_read_; }

 private:
  const PictureFiles& files_;
  std::vector<std::uint8_t> bytes_;
  images::Decoder decoder_;
  std::int64_t bytes_read_ = 0;
};

}  // namespace

/// Reads a file until its end. The size from fstat() only sets the initial size of the buffer,
/// because another process may change the size of the file during the read.
void read_picture_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
  const images::OpenFile file(path.c_str());
  if (!file.is_open()) fail();
  bytes.resize(std::min(size_of(file), kMostBytes) + 1);
  std::size_t size = 0;
  while (const auto got = read_some(file, bytes.data() + size, bytes.size() - size)) {
    size += got;
    if (size > kMostBytes) {
      throw images::BrokenPicture(fmt::format("it has more than {} bytes", kMostBytes));
    }
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  bytes.resize(size);
}

PictureFiles::PictureFiles(const std::filesystem::path& split, const images::ClassNames& classes,
                           const std::vector<images::ClassFile>& files) {
  for (const std::string& name : classes) folders_.push_back((split / name).string() + "/");
  labels_.reserve(files.size());
  ends_.reserve(files.size());
  for (const images::ClassFile& file : files) {
    labels_.push_back(file.label);
    names_ += file.path.filename().native();
    ends_.push_back(names_.size());
  }
}

std::unique_ptr<PictureReader> PictureFiles::make_reader() const {
  return std::make_unique<FileReader>(*this);
}

std::string PictureFiles::name(std::int64_t sample) const {
  const auto i = static_cast<std::size_t>(sample);
  const std::size_t first = i == 0 ? 0 : ends_[i - 1];
  return folders_[labels_[i]] + names_.substr(first, ends_[i] - first);
}

}  // namespace dlscale::trainer
