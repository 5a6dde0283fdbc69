// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/encoded_reader.hpp"

#include <fmt/format.h>

#include <utility>

#include "contract/run_outcome.hpp"

namespace dlscale::trainer::dali {

ReadBatch EncodedReader::read(std::vector<std::int64_t> samples, int epoch) {
  const double start_s = clock_.steady_s();
  const std::int64_t bytes_before = reader_->bytes_read();
  ReadBatch batch{.taken = std::move(samples), .epoch = epoch};
  batch.encoded.files.resize(batch.taken.size());
  batch.encoded.windows.resize(batch.taken.size());
  for (std::size_t place = 0; place < batch.taken.size(); ++place) fill(batch, place, 0, "");
  batch.busy_s = clock_.steady_s() - start_s;
  batch.bytes = reader_->bytes_read() - bytes_before;
  return batch;
}

void EncodedReader::replace(ReadBatch& batch, std::size_t place, const std::string& problem) {
  fill(batch, place, 1, problem);
}

void EncodedReader::fill(ReadBatch& batch, std::size_t place, std::int64_t tried,
                         std::string problem) {
  const std::int64_t asked = batch.taken[place];
  for (std::int64_t sample = asked;; ++tried) {
    if (tried > 0) {
      if (tried >= settings_.replacements) fail(asked, problem);
      sample = (sample + 1) % settings_.replacements;
    }
    try {
      const images::Size size = reader_->open(sample);
      const auto bytes = reader_->encoded();
      batch.encoded.files[place].assign(bytes.begin(), bytes.end());
      batch.encoded.windows[place] = window_of(settings_.recipe, size, batch.epoch, sample);
      batch.taken[place] = sample;
      batch.skipped += sample == asked ? 0 : 1;
      return;
    } catch (const images::BrokenPicture& broken) {
      if (problem.empty()) problem = broken.what();
    }
  }
}

void EncodedReader::fail(std::int64_t sample, const std::string& problem) const {
  throw base::RunError(
      fmt::format("cannot read {}: {}; {}", settings_.source.name(sample), problem,
                  settings_.replacements > 0
                      ? "nor any other picture of the training set"
                      : "replace or remove it, or train with loader_options.on_broken = \"skip\""),
      contract::kExitData);
}

}  // namespace dlscale::trainer::dali
