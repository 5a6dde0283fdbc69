// SPDX-License-Identifier: Apache-2.0
#include "trainer/checkpoint/safetensors.hpp"

#include <torch/types.h>

#include <catch2/catch.hpp>
#include <map>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"

using namespace dlscale;
using trainer::SafetensorsFile;

namespace {

std::string length_of(std::uint64_t bytes) {
  return {reinterpret_cast<const char*>(&bytes), sizeof bytes};
}

/// Returns the error for a file that has this header and `data` bytes of data, without the file
/// name.
std::string refused(const std::string& header, std::size_t data) {
  test::TempDir folder;
  const std::string file = folder.path() / "f";
  base::write_file_atomically(file, length_of(header.size()) + header + std::string(data, 'x'));
  try {
    const SafetensorsFile opened(file);
  } catch (const base::Error& error) {
    CHECK(error.exit_code() == 2);
    const std::string message = error.what();
    REQUIRE(message.starts_with(file));
    return message.substr(file.size());
  }
  return "";
}

std::string tensor(const std::string& type, const std::string& shape, const std::string& offsets) {
  return "{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":" + offsets + "}";
}

}  // namespace

TEST_CASE("tensors of every type are read from a safetensors file as they were written") {
  test::TempDir folder;
  const std::filesystem::path file = folder.path() / "f.safetensors";
  std::vector<trainer::NamedTensor> tensors;
  for (const auto type : {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong}) {
    // The transposed tensor is not contiguous.
    const at::Tensor values = (torch::rand({3, 4}) * 100).to(type).t();
    tensors.push_back({std::string("a.") + c10::toString(type), values});
  }
  tensors.push_back({"scalar", torch::tensor(7)});
  tensors.push_back({"empty", torch::empty({0, 3})});
  trainer::write_safetensors(file, tensors);
  CHECK(base::read_file(file).size() % 8 == 0);
  SafetensorsFile opened(file);
  CHECK(opened.entries().size() == tensors.size());
  for (const auto& [name, expected] : tensors) {
    INFO(name);
    const auto& entries = opened.entries();
    const auto found = std::ranges::find(entries, name, &contract::SafetensorsEntry::name);
    REQUIRE(found != entries.end());
    CHECK(torch::equal(opened.read(*found), expected));
  }
}

TEST_CASE("a safetensors file with metadata, trailing spaces and unordered tensors is read") {
  test::TempDir folder;
  const std::string file = folder.path() / "f";
  const std::string header = R"({"__metadata__":{"format":"pt"},"b":)" +
                             tensor("F32", "[1]", "[8,12]") +
                             ",\"a\":" + tensor("I64", "[]", "[0,8]") + "}   ";
  const float value = 2.5;
  base::write_file_atomically(file, length_of(header.size()) + header + length_of(5) +
                                        std::string(reinterpret_cast<const char*>(&value), 4));
  SafetensorsFile opened(file);
  REQUIRE(opened.entries().size() == 2);
  CHECK(opened.read(opened.entries()[0]).item<std::int64_t>() == 5);
  CHECK(opened.read(opened.entries()[1])[0].item<float>() == 2.5);
}

TEST_CASE("a file written by Python's safetensors is read with exact values") {
  SafetensorsFile file(DLSCALE_SOURCE_DIR "/tests/data/models/python.safetensors");
  std::map<std::string, at::Tensor> found;
  for (const auto& entry : file.entries()) found[entry.name] = file.read(entry);
  REQUIRE(found.size() == 6);
  const at::Tensor float32 = torch::tensor({{0.5F, -1.25F, 3.F}, {1e-3F, 65504.F, -0.F}});
  CHECK(torch::equal(found["float32"], float32));
  CHECK(found["float32"].signbit()[1][2].item<bool>());
  CHECK(torch::equal(found["bfloat16"], torch::tensor({1.0, -2.5, 3.140625}).to(at::kBFloat16)));
  CHECK(torch::equal(found["float16"], torch::tensor({{0.1}, {-65504.0}, {6e-8}}).to(at::kHalf)));
  CHECK(torch::equal(found["float64"], torch::tensor({1.0 / 3, -1e300}, at::kDouble)));
  CHECK(torch::equal(found["batches"], torch::tensor((INT64_C(1) << 40) + 1)));
  CHECK(torch::equal(found["transposed"], torch::arange(6.0F).reshape({2, 3}).t()));
}

TEST_CASE("a broken safetensors file is rejected with the reason") {
  const std::string f32 = tensor("F32", "[2]", "[0,8]");
  CHECK(refused("{\"a\":" + f32 + "}", 8).empty());
  CHECK(refused("{\"a\":" + f32 + "}", 7) ==
        ": is cut off: a ends at byte 8 of the data, but the file contains only 7 bytes of data");
  CHECK(refused("{\"a\":" + f32 + "}", 9) ==
        ": has 1 bytes after its last tensor, but must end there");
  CHECK_THAT(refused("{\"a\":", 8), Catch::Contains("not valid JSON"));
  CHECK(refused("[]", 0) == ": is not a safetensors file: its header is not a JSON object");
  CHECK(refused("{\"a\":{\"dtype\":\"F32\",\"shape\":[2]}}", 8) == ": a.data_offsets: missing");
  CHECK(refused("{\"a\":" + tensor("I8", "[8]", "[0,8]") + "}", 8) ==
        ": tensor a has type I8; F64, F32, F16, BF16 and I64 are supported");
  CHECK(refused("{\"a\":" + tensor("F32", "[3]", "[0,8]") + "}", 8) ==
        ": tensor a has 8 bytes of data, which does not match shape [3] and type F32");
  CHECK(refused("{\"a\":" + tensor("F32", "[4611686018427387904, 4]", "[0,8]") + "}", 8) != "");
  CHECK(refused("{\"a\":" + tensor("F32", "[2]", "[8,0]") + "}", 8) ==
        ": a.data_offsets: must be two byte offsets: the start and the end of the data");
  CHECK(refused("{\"a\":" + tensor("F32", "[-2]", "[0,8]") + "}", 8) ==
        ": a.shape: must not contain negative sizes");
  CHECK(refused("{\"a\":" + f32 + ",\"b\":" + tensor("F32", "[2]", "[4,12]") + "}", 12) ==
        ": b: the data overlaps the data of a");
  CHECK(refused("{\"a\":" + f32 + ",\"b\":" + tensor("F32", "[1]", "[12,16]") + "}", 16) ==
        ": b: the data begins at byte 12, but the preceding data ends at byte 8");
}

TEST_CASE("a file in another format is rejected before memory is allocated") {
  test::TempDir folder;
  const std::string file = folder.path() / "f";
  CHECK_THROWS_WITH(SafetensorsFile(file), file + ": cannot be read: No such file or directory");
  CHECK_THROWS_WITH(SafetensorsFile(folder.path()), folder.path().string() + ": is not a file");
  base::write_file_atomically(file, "short");
  CHECK_THROWS_WITH(SafetensorsFile(file),
                    file + ": is not a safetensors file: it has fewer than 8 bytes");
  base::write_file_atomically(file, length_of(1ULL << 60));
  CHECK_THROWS_WITH(SafetensorsFile(file), file +
                                               ": is not a safetensors file: its first 8 bytes "
                                               "state a header of 1152921504606846976 bytes");
  base::write_file_atomically(file, length_of(100) + "{}");
  CHECK_THROWS_WITH(
      SafetensorsFile(file),
      file +
          ": is cut off within its header: the file has 10 bytes, but the header ends at byte 108");
}
