// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/torch_file.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "contract/run_outcome.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/checkpoint/torch_file_writer.hpp"

using namespace dlscale;
using Catch::Contains;
using Catch::EndsWith;
using Catch::StartsWith;
using test::pickled;
using test::TorchFileParts;
using test::TorchFormat;
using trainer::NamedTensor;

namespace {

constexpr TorchFormat kFormats[] = {TorchFormat::zip, TorchFormat::older};
using Tensors = std::map<std::string, at::Tensor>;

/// Returns the tensors in a file with these bytes.
Tensors read(const std::string& bytes) {
  const test::TempDir folder;
  const std::string path = folder.path() / "weights.pth";
  base::write_file_atomically(path, bytes);
  trainer::TorchFile file(path);
  Tensors tensors;
  for (const trainer::TorchEntry& entry : file.entries()) {
    tensors[entry.name] = file.read(entry);
  }
  return tensors;
}

/// Returns the error for a file with these bytes, without the file name. Without an error,
/// `tensors` receives the tensors of the file.
std::string refused(const std::string& bytes, Tensors* tensors = nullptr) {
  try {
    Tensors read_tensors = read(bytes);
    if (tensors != nullptr) *tensors = std::move(read_tensors);
  } catch (const base::RunError& error) {
    CHECK(error.exit_code() == contract::kExitBadRunDescription);
    const std::string message = error.what();
    const std::size_t end = message.find("weights.pth: ");
    REQUIRE(end != message.npos);
    return message.substr(end + std::string("weights.pth: ").size());
  }
  return "";
}

std::string refused_state(const std::string& state, TorchFormat format = TorchFormat::zip) {
  TorchFileParts parts({}, format);
  parts.state = state;
  return refused(parts.file());
}

bool is_same(const at::Tensor& a, const at::Tensor& b) {
  return a.scalar_type() == b.scalar_type() && a.sizes() == b.sizes() && torch::equal(a, b);
}

/// Tensors of every supported type, several of which share a storage or are not contiguous.
std::vector<NamedTensor> samples() {
  const at::Tensor base = torch::arange(24, torch::kFloat).reshape({4, 6});
  return {{"conv.weight", base},
          {"transposed", base.t()},
          {"part", base.narrow(1, 2, 3).slice(0, 1, 4, 2)},
          {"expanded", torch::full({1}, 3.5).expand({2, 3})},
          {"channels_last", torch::rand({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast)},
          {"bn.num_batches_tracked", torch::tensor(12, torch::kLong)},
          {"double", torch::rand({3}, torch::kDouble)},
          {"half", torch::rand({3}).to(torch::kHalf)},
          {"bfloat16", torch::rand({3}).to(torch::kBFloat16)},
          {"empty", torch::empty({0, 4})}};
}

}  // namespace

TEST_CASE("tensors of both formats have the values, types and shapes that were saved") {
  for (const TorchFormat format : kFormats) {
    const std::vector<NamedTensor> saved = samples();
    const Tensors read_back = read(TorchFileParts(saved, format).file());
    REQUIRE(read_back.size() == saved.size());
    for (const auto& [name, tensor] : saved) {
      INFO(name);
      CHECK(is_same(read_back.at(name), tensor));
      CHECK(read_back.at(name).is_contiguous());
    }
  }
}

TEST_CASE("files that PyTorch wrote in both formats are read") {
  const std::string folder = DLSCALE_SOURCE_DIR "/tests/data/torch_files/";
  for (const char* name : {"zip.pth", "older.pth", "parameters.pth"}) {
    INFO(name);
    const bool is_state = std::string(name) != "parameters.pth";
    const Tensors tensors = read(base::read_file(folder + name));
    REQUIRE(tensors.size() == (is_state ? 13 : 6));
    const auto numbered = [](int number, std::vector<std::int64_t> shape) {
      std::int64_t values = 1;
      for (const std::int64_t size : shape) values *= size;
      return number + torch::arange(values, torch::kFloat).reshape(shape) / 64;
    };
    CHECK(is_same(tensors.at("conv.weight"), numbered(0, {3, 2, 2, 2})));
    CHECK(is_same(tensors.at("bn.weight"), numbered(2, {3})));
    // The decoder shares its weight with the encoder and was filled after the encoder.
    CHECK(is_same(tensors.at("encoder.weight"), numbered(9, {2, 4})));
    if (!is_state) continue;
    CHECK(is_same(tensors.at("decoder.weight"), numbered(9, {2, 4})));
    CHECK(is_same(tensors.at("bn.num_batches_tracked"), torch::tensor(12, torch::kLong)));
    for (const auto type : {torch::kDouble, torch::kHalf, torch::kBFloat16}) {
      const std::string type_name = type == torch::kDouble ? "float64"
                                    : type == torch::kHalf ? "float16"
                                                           : "bfloat16";
      const at::Tensor expected = torch::arange(6).to(type).reshape({2, 3}).t();
      CHECK(is_same(tensors.at(type_name), expected));
    }
  }
  CHECK_THAT(refused(base::read_file(folder + "checkpoint.pth")),
             StartsWith("is not a state dictionary: epoch is a number and not a tensor"));
}

TEST_CASE("parameters, tensors of older versions and dictionaries of Python 2 are read") {
  const at::Tensor tensor = torch::rand({2, 3});
  TorchFileParts parts({{"unused", tensor}}, TorchFormat::older);
  const std::string parameter = "ctorch._utils\n_rebuild_parameter\n" +
                                parts.pickled_tensor(tensor) + "\x88" + test::kEmptyDictionary +
                                "\x87R";
  const std::string older = "ctorch._utils\n_rebuild_tensor\n(" + parts.pickled_storage(tensor) +
                            pickled(0) + pickled(tensor.sizes()) + pickled(tensor.strides()) + "tR";
  const std::string pair = std::string("](U\x01") + "a" + parameter + "e";  // a list ['a', tensor]
  parts.state = "ccollections\nOrderedDict\n](" + pair + "](" + pickled("b") + older + "ee\x85R";
  const Tensors read_back = read(parts.file());
  REQUIRE(read_back.size() == 2);
  CHECK(is_same(read_back.at("a"), tensor));
  CHECK(is_same(read_back.at("b"), tensor));
}

TEST_CASE("a view of a storage in the older format begins at its offset") {
  const at::Tensor whole = torch::arange(10, torch::kFloat);
  TorchFileParts parts({}, TorchFormat::older);
  parts.view = "(" + pickled("key of the view") + pickled(4) + pickled(6) + "t";
  const std::string storage = parts.pickled_storage(whole);
  const std::int64_t three[] = {3}, one[] = {1};
  parts.state = "}" + pickled("a") + "ctorch._utils\n_rebuild_tensor_v2\n(" + storage + pickled(1) +
                pickled(three) + pickled(one) + "\x89" + test::kEmptyDictionary + "tRs";
  CHECK(is_same(read(parts.file()).at("a"), whole.slice(0, 5, 8)));
}

TEST_CASE("objects that do not belong to a state dictionary are rejected with name and offset") {
  for (const TorchFormat format : kFormats) {
    const std::string call = refused_state("cos\nsystem\n" + pickled("true") + "\x85R", format);
    CHECK_THAT(call, Contains("byte ") && Contains(": it refers to os.system, which does not "
                                                   "belong to a state dictionary"));
  }
  CHECK_THAT(refused_state("cos\nsystem\n)R"), StartsWith("data.pkl, byte 2: it refers to os."));
  CHECK_THAT(refused_state(pickled("builtins") + pickled("eval") + "\x93"),
             StartsWith("data.pkl, byte 24: it refers to builtins.eval"));
  CHECK_THAT(refused_state("ctorch\nload\n"), Contains("it refers to torch.load"));
  CHECK_THAT(refused_state("ctorch\nIntStorage\n"),
             EndsWith("it contains values of the type torch.IntStorage, but weights must have one "
                      "of the types float64, float32, float16, bfloat16 and int64"));
  CHECK_THAT(refused_state("}i"), Contains("it contains the instruction 0x69"));  // pickle's INST
}

TEST_CASE("files that contain more than a state dictionary are rejected with the remedy") {
  const std::string remedy =
      "; save only the tensors of the model: torch.save(model.state_dict(), FILE)";
  CHECK(refused_state("}" + pickled("epoch") + "K\x05s") ==
        "is not a state dictionary: epoch is a number and not a tensor" + remedy);
  CHECK(refused_state("}" + pickled("state_dict") + "}s") ==
        "is not a state dictionary: state_dict is a dictionary and not a tensor" + remedy);
  CHECK(refused_state("]") == "contains a list and not a state dictionary" + remedy);
}

TEST_CASE("tensors that lie outside of their storage are rejected") {
  const at::Tensor tensor = torch::rand({4});
  const auto with = [&](std::int64_t first, std::vector<std::int64_t> sizes,
                        std::vector<std::int64_t> strides) {
    TorchFileParts parts({{"unused", tensor}});
    parts.state = "}" + pickled("a") + "ctorch._utils\n_rebuild_tensor_v2\n(" +
                  parts.pickled_storage(tensor) + pickled(first) + pickled(sizes) +
                  pickled(strides) + "tRs";
    return refused(parts.file());
  };
  CHECK(with(0, {4}, {1}).empty());
  CHECK(with(1, {4}, {1}) ==
        "is damaged: the tensor a needs the value 4 of the storage 0, which has 4 values");
  CHECK_THAT(with(0, {2}, {4}), Contains("needs the value 4 of"));
  CHECK_THAT(with(0, {1L << 62, 8}, {1L << 62, 1}), Contains("has impossible sizes or strides"));
  CHECK_THAT(with(-1, {4}, {1}), Contains("not a whole number of at least 0"));
  CHECK_THAT(with(0, {4}, {-1}), Contains("not a whole number of at least 0"));
  CHECK_THAT(with(0, {4}, {1, 1}), Contains("has different numbers of sizes and strides"));
}

TEST_CASE("a damaged value is found by the checksum of the zip archive") {
  const at::Tensor tensor = torch::full({64}, 1.25F);
  std::string bytes = TorchFileParts({{"a", tensor}}).file();
  const std::string value = test::number_bytes(1.25F);
  bytes[bytes.find(value + value)] ^= 1;
  CHECK_THAT(refused(bytes), StartsWith("is damaged: the checksum of data/0 is wrong; fetch the "
                                        "file again"));
}

TEST_CASE("files of other kinds are rejected") {
  CHECK(refused("") == "is not a file of torch.save(), or is older than PyTorch 0.1.10");
  CHECK(refused("hello") == "is not a file of torch.save(), or is older than PyTorch 0.1.10");
  for (const TorchFormat format : kFormats) {
    TorchFileParts parts({}, format);
    parts.byte_order = "big";
    CHECK_THAT(refused(parts.file()), StartsWith("was saved on a big-endian machine"));
  }
  CHECK_THAT(refused_state("\x80\x09}"), EndsWith("it uses protocol 9 of pickle; at most 5 is "
                                                  "supported"));
}

TEST_CASE("a file that is cut off anywhere is rejected") {
  for (const TorchFormat format : kFormats) {
    const std::string bytes = TorchFileParts(samples(), format).file();
    for (std::size_t size = 0; size < bytes.size(); size += 7) {
      INFO(size);
      CHECK_FALSE(refused(bytes.substr(0, size)).empty());
    }
    CHECK_FALSE(refused(bytes.substr(0, bytes.size() - 1)).empty());
    CHECK(refused(bytes).empty());
  }
}

TEST_CASE("a changed byte is rejected or, in a zip archive, does not change a tensor") {
  const std::vector<NamedTensor> saved = {{"a", torch::rand({3})}, {"b", torch::rand({2, 2}).t()}};
  for (const TorchFormat format : kFormats) {
    const std::string bytes = TorchFileParts(saved, format).file();
    int rejected = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      for (const int change : {0x01, 0x80, 0xff}) {
        INFO(i << " " << change);
        std::string changed = bytes;
        changed[i] = static_cast<char>(changed[i] ^ change);
        Tensors tensors;
        const std::string error = refused(changed, &tensors);
        rejected += error.empty() ? 0 : 1;
        if (!error.empty() || format == TorchFormat::older) continue;
        for (const auto& [name, tensor] : saved) CHECK(is_same(tensors.at(name), tensor));
      }
    }
    CHECK(rejected > 0);
  }
}

TEST_CASE("small pickles cannot request much memory") {
  // Each call copies a tuple of many values.
  std::string state = "(" + std::string(60'000, 'N') + "tq\x01" + "0";
  CHECK_THAT(refused_state(state), Contains("it contains the instruction 0x30"));
  state = "(" + std::string(60'000, 'N') + "tq\x01";
  for (int i = 0; i < 1000; ++i) state += "ctorch._utils\n_rebuild_tensor\nh\x01R";
  CHECK_THAT(refused_state(state), Contains("it has more than 4000000 values"));
  CHECK_THAT(refused_state("X\xff\xff\xff\xff"), Contains("it has a string of 4294967295 bytes"));
  std::string nested = ")";
  for (int i = 0; i < 1'000'000; ++i) nested += "\x85";
  CHECK_THAT(refused_state(nested), StartsWith("contains a tuple"));
}
