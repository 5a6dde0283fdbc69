// SPDX-License-Identifier: Apache-2.0
// The layout of both formats follows torch/serialization.py. LibTorch reads the zip archive, but
// not the pickles: its Unpickler does not read the older format, and it reports neither the offset
// nor the name of an object that does not belong to a state dictionary.
#include "trainer/checkpoint/torch_file.hpp"

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <istream>
#include <map>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "contract/run_outcome.hpp"
#include "images/checksum.hpp"
#include "trainer/checkpoint/pickle.hpp"

namespace dlscale::trainer {
namespace fs = std::filesystem;
namespace {

using Kind = PickleValue::Kind;
using namespace std::string_view_literals;

constexpr std::string_view kZipMagic = "PK\3\4"sv;
/// The number 0x1950a86a20f9469cfc6c, with which the older format begins, as bytes of a pickle.
constexpr std::string_view kMagicNumber = "\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19"sv;
constexpr std::size_t kLongestStart = 32;
constexpr std::int64_t kTensorFormat = 1001;  ///< version number in the older format

std::string start_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::string start(kLongestStart, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(in.gcount()));
  return start;
}

bool is_zip(std::string_view start) {
  return start.starts_with(kZipMagic);
}

bool is_older_format(std::string_view start) {
  return start.starts_with('\x80') && start.find(kMagicNumber) != start.npos;
}

struct StorageType {
  std::string_view name;
  at::ScalarType type;
};
constexpr StorageType kStorageTypes[] = {{"torch.DoubleStorage", at::kDouble},
                                         {"torch.FloatStorage", at::kFloat},
                                         {"torch.HalfStorage", at::kHalf},
                                         {"torch.BFloat16Storage", at::kBFloat16},
                                         {"torch.LongStorage", at::kLong}};

/// Facts about a storage that a pickle names.
struct StorageFacts {
  std::string key;
  at::ScalarType type = at::kFloat;
  std::int64_t values = 0;
  std::int64_t bytes() const { return values * static_cast<std::int64_t>(c10::elementSize(type)); }
};

[[noreturn]] void fail(const std::string& problem) {
  throw base::RunError(problem, contract::kExitBadRunDescription);
}

/// Calls a function of LibTorch. Converts an error of LibTorch to a base::RunError with the first
/// line of the error, which states the problem.
template <class Function>
auto with_plain_errors(const Function& function) {
  try {
    return function();
  } catch (const c10::Error& error) {
    const std::string_view text = error.what_without_backtrace();
    fail(fmt::format("is damaged: {}", text.substr(0, text.find('\n'))));
  }
}

}  // namespace

class TorchStorages {
 public:
  virtual ~TorchStorages() = default;
  /// Returns the pickled state dictionary.
  virtual Pickle dictionary() = 0;
  /// Prepares reading the storages that the dictionary names. Checks that the storages lie in the
  /// file.
  virtual void locate(const std::map<std::string, StorageFacts>& storages) = 0;
  /// Fills a one-dimensional tensor with the values of a storage.
  virtual void read(const StorageFacts& storage, const at::Tensor& values) = 0;

  const std::map<std::string, StorageFacts>& storages() const { return storages_; }
  void set_storages(std::map<std::string, StorageFacts> storages) {
    locate(storages);
    storages_ = std::move(storages);
  }

 private:
  std::map<std::string, StorageFacts> storages_;
};

namespace {

// Format since PyTorch 1.6: a zip archive with the records data.pkl and data/<key>.

class ZipStorages : public TorchStorages {
 public:
  explicit ZipStorages(const fs::path& path)
      : file_bytes_(fs::file_size(path)), bytes_(path, std::ios::binary) {
    with_plain_errors(
        [&] { zip_ = std::make_unique<caffe2::serialize::PyTorchStreamReader>(path.string()); });
  }

  Pickle dictionary() override {
    if (!has("data.pkl")) fail("is a zip archive without data.pkl, which torch.save() writes");
    if (has("constants.pkl")) {
      fail("is a TorchScript module and not a state dictionary; use model = \"script:FILE\"");
    }
    if (has("byteorder") && entry_text("byteorder") != "little") {
      fail("was saved on a big-endian machine; load and save it on a little-endian machine");
    }
    std::istringstream in(entry_text("data.pkl"));
    std::uint64_t position = 0;
    try {
      return read_pickle(in, position);
    } catch (const PickleError& error) {
      fail(fmt::format("data.pkl, {}", error.what()));
    }
  }

  void locate(const std::map<std::string, StorageFacts>& storages) override {
    for (const auto& [key, storage] : storages) {
      if (!has(name_of(key))) fail(fmt::format("is damaged: it lacks {}", name_of(key)));
      const std::uint64_t bytes = size_of(name_of(key));
      if (bytes == static_cast<std::uint64_t>(storage.bytes())) continue;
      fail(fmt::format("is damaged: {} has {} bytes, but its tensors need {}", name_of(key), bytes,
                       storage.bytes()));
    }
  }

  void read(const StorageFacts& storage, const at::Tensor& values) override {
    fill(name_of(storage.key), {static_cast<std::uint8_t*>(values.data_ptr()), values.nbytes()});
  }

 private:
  static std::string name_of(const std::string& key) { return "data/" + key; }

  bool has(const std::string& name) {
    return with_plain_errors([&] { return zip_->hasRecord(name); });
  }
  /// Returns the size of a record. torch.save() does not compress records, so a record is smaller
  /// than the file.
  std::uint64_t size_of(const std::string& name) {
    const std::uint64_t bytes = with_plain_errors([&] { return zip_->getRecordSize(name); });
    if (bytes <= file_bytes_) return bytes;
    fail(fmt::format("is damaged: {} has {} bytes, more than the whole file", name, bytes));
  }
  std::string entry_text(const std::string& name) {
    std::string text(size_of(name), '\0');
    fill(name, {reinterpret_cast<std::uint8_t*>(text.data()), text.size()});
    return text;
  }

  /// Reads a record. LibTorch does not compare the checksum of the record, so this function does.
  void fill(const std::string& name, std::span<std::uint8_t> to) {
    with_plain_errors([&] { return zip_->getRecord(name, to.data(), to.size()); });
    if (images::checksum(to) == stored_checksum(name, to.size())) return;
    fail(
        fmt::format("is damaged: the checksum of {} is wrong; fetch the file again (files that "
                    "were saved with set_crc32_options(False) cannot be read)",
                    name));
  }

  /// Returns the CRC-32 of a record: from the header of the record, or from the descriptor behind
  /// its data if flag 3 is set.
  std::uint32_t stored_checksum(const std::string& name, std::size_t bytes) {
    constexpr std::size_t kFlags = 6, kChecksum = 14, kHeader = 30;
    constexpr unsigned kHasDescriptor = 1U << 3U;
    const auto header =
        bytes_at<kHeader>(with_plain_errors([&] { return zip_->getRecordHeaderOffset(name); }));
    if ((static_cast<unsigned>(header[kFlags]) & kHasDescriptor) == 0) {
      return number_in(header, kChecksum);
    }
    const std::uint64_t data = with_plain_errors([&] { return zip_->getRecordOffset(name); });
    constexpr std::uint32_t kSignature = 0x08074b50;  // optional in the zip format
    const auto descriptor = bytes_at<8>(data + bytes);
    return number_in(descriptor, number_in(descriptor, 0) == kSignature ? 4 : 0);
  }
  template <std::size_t Count>
  std::array<std::uint8_t, Count> bytes_at(std::uint64_t offset) {
    std::array<std::uint8_t, Count> there{};
    bytes_.clear();
    bytes_.seekg(static_cast<std::streamoff>(offset));
    if (!bytes_.read(reinterpret_cast<char*>(there.data()), Count)) fail("is cut off");
    return there;
  }
  template <std::size_t Count>
  static std::uint32_t number_in(const std::array<std::uint8_t, Count>& bytes, std::size_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, &bytes.at(at), sizeof number);
    return number;
  }

  std::uint64_t file_bytes_;
  std::ifstream bytes_;
  std::unique_ptr<caffe2::serialize::PyTorchStreamReader> zip_;
};

// Format before PyTorch 1.6: pickles of a magic number, a version, facts about the machine, the
// state dictionary and a list of keys. The storages follow, each with its number of values.

class ConsecutiveStorages : public TorchStorages {
 public:
  explicit ConsecutiveStorages(const fs::path& path)
      : file_bytes_(fs::file_size(path)), in_(path, std::ios::binary) {}

  Pickle dictionary() override {
    const Pickle magic = next();
    if (magic.root().kind != Kind::long_integer || magic.root().text != kMagicNumber) {
      fail("is damaged: its magic number is wrong");
    }
    const Pickle version = next();
    if (version.root().kind != Kind::integer || version.root().number != kTensorFormat) {
      fail(fmt::format("has an unknown version of the format; {} is supported", kTensorFormat));
    }
    require_little_endian(next());
    return next();
  }

  void locate(const std::map<std::string, StorageFacts>& storages) override {
    const Pickle keys = next();
    if (keys.root().kind != Kind::list) fail("is damaged: it has no list of storages");
    for (const auto reference : keys.root().items) {
      const PickleValue& key = keys[reference];
      const auto found = key.kind == Kind::text ? storages.find(key.text) : storages.end();
      if (found == storages.end()) {
        fail(fmt::format("is damaged: its list of storages contains {}, which no tensor uses",
                         key.kind == Kind::text ? key.text : std::string(word_for(key.kind))));
      }
      locate_next(found->second);
    }
    for (const auto& [key, storage] : storages) {
      if (!begins_.contains(key)) fail(fmt::format("is damaged: it lacks the storage {}", key));
    }
  }

  void read(const StorageFacts& storage, const at::Tensor& values) override {
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(begins_.at(storage.key)));
    if (!in_.read(static_cast<char*>(values.data_ptr()), storage.bytes())) {
      fail(fmt::format("cannot be read at the storage {}", storage.key));
    }
  }

 private:
  Pickle next() {
    try {
      return read_pickle(in_, position_);
    } catch (const PickleError& error) {
      fail(error.what());
    }
  }

  static void require_little_endian(const Pickle& machine) {
    const auto& items = machine.root().items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (machine[items[i]].text != "little_endian" || machine[items[i + 1]].number == 1) continue;
      fail("was saved on a big-endian machine; load and save it on a little-endian machine");
    }
  }

  void locate_next(const StorageFacts& storage) {
    std::int64_t values = 0;
    if (!in_.read(reinterpret_cast<char*>(&values), sizeof values)) {
      fail(fmt::format("is cut off before the storage {}", storage.key));
    }
    position_ += sizeof values;
    if (values != storage.values) {
      fail(fmt::format("is damaged: byte {}: the storage {} has {} values, but its tensors need {}",
                       position_ - sizeof values, storage.key, values, storage.values));
    }
    const auto bytes = static_cast<std::uint64_t>(storage.bytes());
    if (bytes > file_bytes_ - position_) {
      fail(fmt::format("is cut off: the storage {} ends at byte {}, but the file has {} bytes",
                       storage.key, position_ + bytes, file_bytes_));
    }
    begins_[storage.key] = position_;
    position_ += bytes;
    in_.seekg(static_cast<std::streamoff>(position_));
  }

  std::uint64_t file_bytes_;
  std::ifstream in_;
  std::uint64_t position_ = 0;
  std::map<std::string, std::uint64_t> begins_;  ///< offset of the values of each storage
};

std::unique_ptr<TorchStorages> storages_in(const fs::path& path) {
  const std::string start = start_of(path);
  if (is_zip(start)) return std::make_unique<ZipStorages>(path);
  if (is_older_format(start)) return std::make_unique<ConsecutiveStorages>(path);
  fail("is not a file of torch.save(), or is older than PyTorch 0.1.10");
}

/// Reader for the tensors in the pickle of a state dictionary.
class Dictionary {
 public:
  explicit Dictionary(const Pickle& pickle) : pickle_(pickle) {}

  std::vector<TorchEntry> entries() {
    const PickleValue& root = pickle_.root();
    if (root.kind != Kind::dictionary) {
      fail(fmt::format("contains {} and not a state dictionary{}", word_for(root.kind), kRemedy));
    }
    std::vector<TorchEntry> entries;
    for (std::size_t i = 0; i + 1 < root.items.size(); i += 2) {
      const PickleValue& key = pickle_[root.items[i]];
      if (key.kind != Kind::text) fail("has a name that is not a string");
      entries.push_back(entry(key.text, pickle_[root.items[i + 1]]));
    }
    return entries;
  }
  std::map<std::string, StorageFacts> take_storages() { return std::move(storages_); }

 private:
  static constexpr const char* kRemedy =
      "; save only the tensors of the model: torch.save(model.state_dict(), FILE)";

  [[noreturn]] void damaged(const std::string& problem) const {
    fail(fmt::format("is damaged: the tensor {} {}", name_, problem));
  }

  TorchEntry entry(const std::string& name, const PickleValue& value) {
    name_ = name;
    const PickleValue* call = &value;
    // A parameter is a call with a tensor as its first argument.
    while (call->kind == Kind::call && call->text == "torch._utils._rebuild_parameter") {
      call = &argument(*call, 0);
    }
    if (call->kind != Kind::call) {
      fail(fmt::format("is not a state dictionary: {} is {} and not a tensor{}", name,
                       word_for(call->kind), kRemedy));
    }
    TorchEntry entry{
        .name = name, .shape = numbers(argument(*call, 2)), .strides = numbers(argument(*call, 3))};
    const std::int64_t first = number(argument(*call, 1));
    const auto [storage, view] = storage_of(argument(*call, 0));
    entry.type = storage.type;
    entry.storage = storage.key;
    if (__builtin_add_overflow(first, view, &entry.begin)) damaged("has an impossible offset");
    require_inside(entry, storage.values);
    return entry;
  }

  const PickleValue& argument(const PickleValue& call, std::size_t number) const {
    if (number < call.items.size()) return pickle_[call.items[number]];
    damaged("lacks a part of its description");
  }
  std::int64_t number(const PickleValue& value) const {
    if (value.kind == Kind::integer && value.number >= 0) return value.number;
    damaged("has a size, stride or offset that is not a whole number of at least 0");
  }
  std::vector<std::int64_t> numbers(const PickleValue& value) const {
    if (value.kind != Kind::tuple) damaged("has no tuple of sizes or strides");
    std::vector<std::int64_t> numbers;
    for (const auto reference : value.items) numbers.push_back(number(pickle_[reference]));
    return numbers;
  }
  const std::string& text(const PickleValue& value) const {
    if (value.kind == Kind::text) return value.text;
    damaged("has a storage whose key is not a string");
  }

  /// Returns a storage, and the index at which a view of this storage begins. Views occur in files
  /// of PyTorch before 0.4.
  std::pair<StorageFacts, std::int64_t> storage_of(const PickleValue& value) {
    if (value.kind != Kind::persistent || value.items.size() < 5 ||
        text(argument(value, 0)) != "storage") {
      damaged("has no storage");
    }
    const PickleValue& type = argument(value, 1);
    const auto* const known = std::ranges::find(
        kStorageTypes, type.kind == Kind::global ? std::string_view(type.text) : "",
        &StorageType::name);
    if (known == std::end(kStorageTypes)) damaged("has a storage without a type");
    StorageFacts facts{text(argument(value, 2)), known->type, number(argument(value, 4))};
    constexpr std::int64_t kMostValues = std::int64_t{1} << 50;
    if (facts.values > kMostValues) damaged("has a storage of impossible size");
    const auto [place, is_new] = storages_.try_emplace(facts.key, facts);
    if (!is_new && (place->second.type != facts.type || place->second.values != facts.values)) {
      damaged(fmt::format("and another tensor disagree about the storage {}", facts.key));
    }
    if (value.items.size() < 6 || argument(value, 5).kind == Kind::none) return {facts, 0};
    return {facts, number(argument(argument(value, 5), 1))};
  }

  /// Checks that the last value of a tensor lies in its storage.
  void require_inside(const TorchEntry& entry, std::int64_t values) const {
    if (entry.shape.size() != entry.strides.size())
      damaged("has different numbers of sizes and strides");
    if (std::ranges::find(entry.shape, 0) != entry.shape.end()) return;
    std::int64_t last = entry.begin;
    for (std::size_t i = 0; i < entry.shape.size(); ++i) {
      std::int64_t distance = 0;
      if (__builtin_mul_overflow(entry.shape[i] - 1, entry.strides[i], &distance) ||
          __builtin_add_overflow(last, distance, &last)) {
        damaged("has impossible sizes or strides");
      }
    }
    if (last < values) return;
    damaged(fmt::format("needs the value {} of the storage {}, which has {} values", last,
                        entry.storage, values));
  }

  const Pickle& pickle_;
  std::string name_;  ///< name of the tensor that is being read
  std::map<std::string, StorageFacts> storages_;
};

/// Calls a function and adds the path of the file to its errors.
template <class Function>
auto with_path(const fs::path& path, const Function& function) {
  try {
    return function();
  } catch (const base::RunError& error) {
    throw base::RunError(fmt::format("{}: {}", path.string(), error.what()),
                         contract::kExitBadRunDescription);
  }
}

}  // namespace

TorchFile::TorchFile(const fs::path& path) : path_(path) {
  with_path(path_, [&] {
    storages_ = storages_in(path_);
    const Pickle pickle = storages_->dictionary();
    Dictionary dictionary(pickle);
    entries_ = dictionary.entries();
    storages_->set_storages(dictionary.take_storages());
  });
}

TorchFile::~TorchFile() = default;

bool TorchFile::has_format(const fs::path& path) {
  const std::string start = start_of(path);
  return is_zip(start) || is_older_format(start);
}

at::Tensor TorchFile::read(const TorchEntry& entry) {
  return with_path(path_, [&] {
    if (!last_.defined() || last_key_ != entry.storage) {
      const StorageFacts& storage = storages_->storages().at(entry.storage);
      last_ = at::Tensor();  // frees the memory of the previous storage first
      last_ = at::empty({storage.values}, storage.type);
      storages_->read(storage, last_);
      last_key_ = entry.storage;
    }
    return last_.as_strided(entry.shape, entry.strides, entry.begin)
        .clone(at::MemoryFormat::Contiguous);
  });
}

}  // namespace dlscale::trainer
