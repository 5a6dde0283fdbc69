// SPDX-License-Identifier: Apache-2.0
#include "images/tfrecord_writer.hpp"

#include <system_error>
#include <utility>

#include "images/crc32c.hpp"
#include "images/tfrecord_files.hpp"

namespace dlscale::images {
namespace fs = std::filesystem;
namespace {

template <class Number>
std::string plain_bytes(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

std::string masked_checksum(std::string_view text) {
  return plain_bytes(
      masked_crc32c({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

}  // namespace

std::string tfrecord(std::string_view data) {
  const std::string length = plain_bytes(static_cast<std::uint64_t>(data.size()));
  std::string record = length + masked_checksum(length);
  record += data;
  return record += masked_checksum(data);
}

TfrecordWriter::TfrecordWriter(fs::path folder, std::string split, std::int64_t images, int shards)
    : folder_(std::move(folder)), split_(std::move(split)), images_(images), shards_(shards) {
  begin_shard();
}

TfrecordWriter::~TfrecordWriter() {
  if (static_cast<int>(complete_.size()) == shards_) return;
  for (const fs::path& path : complete_) {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
}

void TfrecordWriter::append(std::int64_t number, const ImageExample& image) {
  while (number >= images_ * (static_cast<std::int64_t>(complete_.size()) + 1) / shards_) {
    end_shard();
    begin_shard();
  }
  part_->append(tfrecord(serialised(image)));
}

void TfrecordWriter::finish() {
  end_shard();
  while (static_cast<int>(complete_.size()) < shards_) {
    begin_shard();
    end_shard();
  }
}

void TfrecordWriter::begin_shard() {
  part_ = std::make_unique<base::PartFile>(
      folder_ / shard_name(split_, static_cast<int>(complete_.size()), shards_));
}

void TfrecordWriter::end_shard() {
  const fs::path path = folder_ / shard_name(split_, static_cast<int>(complete_.size()), shards_);
  part_->flush();
  part_->take_its_name();
  part_.reset();
  complete_.push_back(path);
}

}  // namespace dlscale::images
