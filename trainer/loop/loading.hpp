// SPDX-License-Identifier: Apache-2.0
// Construction of the objects that supply a run's samples, from the run description: the data set,
// the sample order and the loaders.
#pragma once

#include <cstdint>
#include <memory>

#include "contract/run_spec/run_spec.hpp"
#include "trainer/data/dataset.hpp"
#include "trainer/data/loader.hpp"
#include "trainer/data/sampler.hpp"

namespace dlscale::trainer {

/// Returns the seed of a run's random numbers. Repetitions of a run have different seeds.
std::uint64_t seed_of(const contract::RunSpec& spec);
/// Returns the number format of the parameters and of the model's input.
Precision precision_of(const contract::RunSpec& spec);

/// Loads the data set of a run. Expands environment variables in the path of the data set. Throws
/// the exceptions of DatasetEntry::load.
std::unique_ptr<const Dataset> load_dataset(const contract::RunSpec& spec);

/// Share of the samples that a rank or a model replica processes: share number `index` of `count`
/// shares.
struct SampleShare {
  int index = 0;
  int count = 1;
};

DistributedSampler make_sampler(const contract::RunSpec& spec, const Dataset& dataset,
                                const SampleShare& share);

/// Memory in which a loader places its batches, and their layout.
struct LoaderPlace {
  bool pinned = false;
  int gpu = -1;  ///< number of the rank's GPU, -1 without a GPU
  bool channels_last = false;
};

/// Creates the loader for `split`, which is the training set or the test set of `dataset`.
std::unique_ptr<Loader> make_loader(const contract::RunSpec& spec, const Dataset& dataset,
                                    const Split& split, const LoaderPlace& place);

}  // namespace dlscale::trainer
