// SPDX-License-Identifier: Apache-2.0
// Reader and writer for the safetensors format (https://huggingface.co/docs/safetensors). Numbers
// are little-endian, like the memory of every machine that LibTorch supports.
#include "trainer/checkpoint/safetensors.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"

namespace dlscale::trainer {
namespace {

constexpr std::int64_t kLengthBytes = 8;
/// Maximum length of a header in bytes, which is the limit of the format's reference reader.
constexpr std::uint64_t kLongestHeader = 100'000'000;
constexpr std::int64_t kAlignment = 8;

struct Type {
  std::string_view name;
  at::ScalarType type;
};
constexpr Type kTypes[] = {{"F64", at::kDouble},
                           {"F32", at::kFloat},
                           {"F16", at::kHalf},
                           {"BF16", at::kBFloat16},
                           {"I64", at::kLong}};

const Type* find_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &Type::name);
  return found == std::end(kTypes) ? nullptr : found;
}

std::string name_of(at::ScalarType type) {
  for (const Type& known : kTypes) {
    if (known.type == type) return std::string(known.name);
  }
  throw base::RunError(std::string("cannot write a tensor of type ") + c10::toString(type) +
                       " to a safetensors file");
}

std::string length_of(std::uint64_t bytes) {
  std::string text(kLengthBytes, '\0');
  std::memcpy(text.data(), &bytes, kLengthBytes);
  return text;
}

std::string header_of(const std::vector<NamedTensor>& tensors) {
  std::vector<contract::SafetensorsEntry> entries;
  std::int64_t end = 0;
  for (const auto& [name, tensor] : tensors) {
    const std::int64_t begin = end;
    end += tensor.numel() * tensor.element_size();
    entries.push_back({name, name_of(tensor.scalar_type()), tensor.sizes().vec(), begin, end});
  }
  std::string text = contract::to_json(entries);
  text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
  return text;
}

/// Returns the number of elements of `shape`, or the largest int64 when the product overflows.
std::int64_t numbers_of(const std::vector<std::int64_t>& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    if (__builtin_mul_overflow(product, size, &product)) {
      return std::numeric_limits<std::int64_t>::max();
    }
  }
  return product;
}

}  // namespace

void write_safetensors(const std::filesystem::path& path, const std::vector<NamedTensor>& tensors) {
  const std::string header = header_of(tensors);
  base::write_pieces_atomically(path, [&](const std::function<void(std::string_view)>& write) {
    write(length_of(header.size()));
    write(header);
    for (const NamedTensor& each : tensors) {
      const at::Tensor dense = each.tensor.detach().cpu().contiguous();
      write({static_cast<const char*>(dense.data_ptr()), dense.nbytes()});
    }
  });
}

SafetensorsFile::SafetensorsFile(const std::filesystem::path& path) : path_(path) {
  std::error_code unknown;
  const auto status = std::filesystem::status(path, unknown);
  if (exists(status) && !is_regular_file(status)) fail("is not a file");
  bytes_.open(path, std::ios::binary);
  if (!bytes_) fail(fmt::format("cannot be read: {}", std::strerror(errno)));
  read_header();
  for (const contract::SafetensorsEntry& entry : entries_) require_whole(entry);
}

void SafetensorsFile::require_whole(const contract::SafetensorsEntry& entry) const {
  const Type* const type = find_type(entry.type);
  if (type == nullptr) {
    fail(fmt::format("tensor {} has type {}; F64, F32, F16, BF16 and I64 are supported", entry.name,
                     entry.type));
  }
  const auto size = static_cast<std::int64_t>(c10::elementSize(type->type));
  const std::int64_t bytes = entry.end - entry.begin;
  if (bytes % size == 0 && bytes / size == numbers_of(entry.shape)) return;
  fail(fmt::format("tensor {} has {} bytes of data, which does not match shape [{}] and type {}",
                   entry.name, bytes, fmt::join(entry.shape, ", "), entry.type));
}

void SafetensorsFile::fail(const std::string& problem) const {
  throw base::RunError(fmt::format("{}: {}", path_.string(), problem),
                       contract::kExitBadRunDescription);
}

void SafetensorsFile::read_header() {
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path_));
  std::uint64_t length = 0;
  if (!bytes_.read(reinterpret_cast<char*>(&length), kLengthBytes)) {
    fail("is not a safetensors file: it has fewer than 8 bytes");
  }
  if (length > kLongestHeader) {
    fail(fmt::format("is not a safetensors file: its first 8 bytes state a header of {} bytes",
                     length));
  }
  data_begin_ = kLengthBytes + static_cast<std::int64_t>(length);
  if (data_begin_ > size) {
    fail(fmt::format(
        "is cut off within its header: the file has {} bytes, but the header ends at byte {}", size,
        data_begin_));
  }
  std::string text(length, '\0');
  if (!bytes_.read(text.data(), static_cast<std::streamsize>(length))) fail("cannot be read");
  if (!text.starts_with('{')) fail("is not a safetensors file: its header is not a JSON object");
  entries_ = contract::safetensors_header_from_json(text, path_.string());
  const std::int64_t there = size - data_begin_;
  const std::int64_t wanted = entries_.empty() ? 0 : entries_.back().end;
  if (wanted > there) {
    fail(fmt::format(
        "is cut off: {} ends at byte {} of the data, but the file contains only {} bytes of data",
        entries_.back().name, wanted, there));
  }
  if (wanted < there)
    fail(fmt::format("has {} bytes after its last tensor, but must end there", there - wanted));
}

at::Tensor SafetensorsFile::read(const contract::SafetensorsEntry& entry) {
  at::Tensor tensor = at::empty(entry.shape, find_type(entry.type)->type);
  bytes_.seekg(data_begin_ + entry.begin);
  if (!bytes_.read(static_cast<char*>(tensor.data_ptr()), entry.end - entry.begin)) {
    fail(fmt::format("cannot be read at tensor {}", entry.name));
  }
  return tensor;
}

}  // namespace dlscale::trainer
