// SPDX-License-Identifier: Apache-2.0
// From a run's description to what it trains on: its data set, its order and its loaders.
#pragma once

#include <cstdint>
#include <memory>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/sampler.hpp"

namespace dlscale::trainer {

/// What a run's random numbers begin with.
std::uint64_t seed_of(const contract::RunSpec& spec);
/// Of parameters, and of what a model takes.
Precision precision_of(const contract::RunSpec& spec);

/// Variables of its path are those of the environment. Throws as DatasetEntry::load.
std::unique_ptr<const Dataset> load_dataset(const contract::RunSpec& spec);

/// Who takes which part of the samples.
struct SampleShare {
  int index = 0;
  int count = 1;
};

DistributedSampler make_sampler(const contract::RunSpec& spec, const Dataset& dataset,
                                const SampleShare& share);

/// Where batches are to lie.
struct LoaderPlace {
  bool pinned = false;
  int gpu = -1;  ///< number of the rank's device, where that is one
  bool channels_last = false;
};

/// Of `split`, which is the training or the test set of `dataset`.
std::unique_ptr<Loader> make_loader(const contract::RunSpec& spec, const Dataset& dataset,
                                    const Split& split, const LoaderPlace& place);

}  // namespace dlscale::trainer
