// SPDX-License-Identifier: Apache-2.0
#include "contract/run_id.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "base/error.hpp"
#include "contract/json_codec.hpp"
#include "contract/run_spec_fields.hpp"

namespace dlscale::contract {
namespace {

constexpr int kHashDigits = 10;

std::string slug(const RunSpec& spec) {
  return fmt::format("{}-{}-{}-g{}-b{}", spec.framework, spec.model, spec.lr_schedule.kind,
                     spec.gpus, spec.batch_per_gpu);
}

/// The description without what may differ between two plans of the same experiment.
std::string identity(const RunSpec& spec) {
  codec::json object = codec::to_value(spec);
  for (const char* key :
       {"resources", "run_id", "repetition", "point", "schema_version", "study"}) {
    object.erase(key);
  }
  object["dataset"].erase("path");
  return codec::to_text(object);
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  if (EVP_Digest(text.data(), text.size(), digest, &size, EVP_sha256(), nullptr) != 1) {
    throw base::RunError("libcrypto cannot compute SHA-256");
  }
  std::string hex;
  for (unsigned int i = 0; i < size; ++i) hex += fmt::format("{:02x}", digest[i]);
  return hex;
}

std::string make_run_id(const RunSpec& spec) {
  return fmt::format("{}-{}-r{}", slug(spec), sha256_hex(identity(spec)).substr(0, kHashDigits),
                     spec.repetition);
}

std::string run_id_of(std::string_view point_id, int repetition) {
  return fmt::format("{}-r{}", point_id, repetition);
}

std::string point_id(std::string_view run_id) {
  return std::string(run_id.substr(0, run_id.rfind("-r")));
}

}  // namespace dlscale::contract
