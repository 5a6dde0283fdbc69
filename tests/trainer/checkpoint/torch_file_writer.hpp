// SPDX-License-Identifier: Apache-2.0
// Writer for files of torch.save() in both formats, with the instructions that Python's pickle
// module uses for state dictionaries. Tests change single parts of these files.
#pragma once

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainer/checkpoint/tensor_archive.hpp"

namespace dlscale::test {

enum class TorchFormat { zip, older };

template <class Number>
std::string number_bytes(Number number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}
inline std::string pickled(std::string_view text) {
  return "X" + number_bytes(static_cast<std::uint32_t>(text.size())) + std::string(text);
}
inline std::string pickled(std::int64_t number) {
  return "\x8a\x08" + number_bytes(number);
}
inline std::string pickled(at::IntArrayRef numbers) {
  std::string text = "(";
  for (const std::int64_t number : numbers) text += pickled(number);
  return text + "t";
}
inline const std::string kEmptyDictionary = "ccollections\nOrderedDict\n)R";

/// Parts of a file of torch.save().
class TorchFileParts {
 public:
  explicit TorchFileParts(const std::vector<trainer::NamedTensor>& tensors,
                          TorchFormat format = TorchFormat::zip)
      : format_(format) {
    std::string items;
    for (const auto& [name, tensor] : tensors) items += pickled(name) + pickled_tensor(tensor);
    state = kEmptyDictionary + "(" + items + "u}" + pickled("_metadata") + kEmptyDictionary + "sb";
  }

  /// Returns the bytes of the file.
  std::string file() const { return format_ == TorchFormat::zip ? zip_file() : older_file(); }

  std::string pickled_tensor(const at::Tensor& tensor) {
    return "ctorch._utils\n_rebuild_tensor_v2\n(" + pickled_storage(tensor) +
           pickled(tensor.storage_offset()) + pickled(tensor.sizes()) + pickled(tensor.strides()) +
           "\x89" + kEmptyDictionary + "tR";
  }
  std::string pickled_storage(const at::Tensor& tensor) {
    const std::string key = key_of(tensor);
    const auto values = static_cast<std::int64_t>(storages_.at(key).size() / value_bytes_.at(key));
    return "(" + pickled("storage") + "ctorch\n" + type_of(tensor) + "\n" + pickled(key) +
           pickled("cuda:0") + pickled(values) +
           (format_ == TorchFormat::older ? view + "tQ" : "tQ");
  }

  std::string state;       ///< pickled dictionary, without its first and last instruction
  std::string view = "N";  ///< pickled description of a view, in the older format
  std::string byte_order = "little";

 private:
  static std::string type_of(const at::Tensor& tensor) {
    const std::string type = c10::toString(tensor.scalar_type());
    return type + "Storage";
  }
  std::string key_of(const at::Tensor& tensor) {
    const at::Storage& storage = tensor.storage();
    const auto [place, is_new] = keys_.try_emplace(storage.data(), std::to_string(keys_.size()));
    if (is_new) {
      value_bytes_[place->second] = static_cast<std::size_t>(tensor.element_size());
      storages_[place->second] = {static_cast<const char*>(storage.data()), storage.nbytes()};
    }
    return place->second;
  }
  static std::string whole(const std::string& pickle) { return "\x80\x02" + pickle + "."; }

  std::string zip_file() const {
    std::string file;
    caffe2::serialize::PyTorchStreamWriter writer([&](const void* data, std::size_t size) {
      file.append(static_cast<const char*>(data), size);
      return size;
    });
    const auto add = [&](const std::string& name, const std::string& content) {
      writer.writeRecord(name, content.data(), content.size());
    };
    add("data.pkl", whole(state));
    add("byteorder", byte_order);
    for (const auto& [key, bytes] : storages_) add("data/" + key, bytes);
    writer.writeEndOfFile();
    return file;
  }
  std::string older_file() const {
    std::string keys, data;
    for (const auto& [key, bytes] : storages_) {
      keys += pickled(key);
      data += number_bytes(static_cast<std::int64_t>(bytes.size() / value_bytes_.at(key))) + bytes;
    }
    return whole("\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19") + whole("M\xe9\x03") +
           whole("}(" + pickled("little_endian") + (byte_order == "little" ? "\x88" : "\x89") +
                 "u") +
           whole(state) + whole("](" + keys + "e") + data;
  }

  TorchFormat format_;
  std::map<const void*, std::string> keys_;
  std::map<std::string, std::string> storages_;     ///< bytes of each storage
  std::map<std::string, std::size_t> value_bytes_;  ///< bytes of one value of each storage
};

}  // namespace dlscale::test
