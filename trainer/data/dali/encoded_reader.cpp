// SPDX-License-Identifier: Apache-2.0
#include "trainer/data/dali/encoded_reader.hpp"

#include <utility>

namespace dlscale::trainer::dali {

ReadBatch EncodedReader::read(std::vector<std::int64_t> samples, int epoch) {
  const double start_s = clock_.steady_s();
  const std::int64_t bytes_before = reader_->bytes_read();
  ReadBatch batch{.taken = std::move(samples), .epoch = epoch};
  batch.encoded.files.resize(batch.taken.size());
  batch.encoded.windows.resize(batch.taken.size());
  for (std::size_t place = 0; place < batch.taken.size(); ++place) fill(batch, place, "");
  batch.busy_s = clock_.steady_s() - start_s;
  batch.bytes = reader_->bytes_read() - bytes_before;
  return batch;
}

void EncodedReader::replace(ReadBatch& batch, std::size_t place, const std::string& problem) {
  fill(batch, place, problem);
}

void EncodedReader::fill(ReadBatch& batch, std::size_t place, const std::string& problem) {
  const std::int64_t asked = batch.taken[place];
  batch.taken[place] =
      make_whole(settings_.source, settings_.broken, asked, [&](std::int64_t sample) {
        if (sample == asked && !problem.empty()) throw images::BrokenPicture(problem);
        read_one(batch, place, sample);
      });
  batch.skipped += batch.taken[place] == asked ? 0 : 1;
}

void EncodedReader::read_one(ReadBatch& batch, std::size_t place, std::int64_t sample) {
  const images::Size size = reader_->open(sample);
  const auto bytes = reader_->encoded();
  batch.encoded.files[place].assign(bytes.begin(), bytes.end());
  batch.encoded.windows[place] = window_of(settings_.recipe, size, batch.epoch, sample);
}

}  // namespace dlscale::trainer::dali
