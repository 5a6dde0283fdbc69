// SPDX-License-Identifier: Apache-2.0
#include "analysis/compare/table_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "analysis/compare/axis_cell.hpp"

namespace dlscale::analysis {
namespace {

/// Names as comparable() makes them.
constexpr std::pair<std::string_view, std::string_view> kNames[] = {
    {"speedup", "speedup"},
    {"speedupfactor", "speedup"},
    {"relativespeedup", "speedup"},
    {"speedupratio", "speedup"},
    {"accelerationratio", "speedup"},
    {"accelerationrate", "speedup"},
    {"efficiency", "efficiency"},
    {"scalingefficiency", "efficiency"},
    {"parallelefficiency", "efficiency"},
    {"strongscalingefficiency", "efficiency"},
    {"weakscalingefficiency", "efficiency"},
    {"throughput", "throughput"},
    {"totalthroughput", "throughput"},
    {"globalthroughput", "throughput"},
    {"aggregatethroughput", "throughput"},
    {"imagespersecond", "throughput"},
    {"imagespersec", "throughput"},
    {"samplespersecond", "throughput"},
    {"samplespersec", "throughput"},
    {"samplespers", "throughput"},
    {"tokenspersecond", "throughput"},
    {"tokenspersec", "throughput"},
    {"throughputpergpu", "throughput_per_gpu"},
    {"throughput/gpu", "throughput_per_gpu"},
    {"pergputhroughput", "throughput_per_gpu"},
    {"gpus", "gpus"},
    {"#gpus", "gpus"},
    {"#gpu", "gpus"},
    {"#ofgpus", "gpus"},
    {"#ofgpu", "gpus"},
    {"numgpus", "gpus"},
    {"ngpus", "gpus"},
    {"gpucount", "gpus"},
    {"numberofgpus", "gpus"},
    {"no.ofgpus", "gpus"},
    {"nodes", "nodes"},
    {"#nodes", "nodes"},
    {"numnodes", "nodes"},
    {"numberofnodes", "nodes"},
};

constexpr std::array<std::string_view, 14> kTimeQuantities{
    "epochtime",   "traintime",     "trainingtime",  "valtime",       "runtime",
    "time",        "totaltime",     "walltime",      "elapsedtime",   "timeperepoch",
    "timetotrain", "wallclocktime", "executiontime", "timetosolution"};
constexpr std::array<std::string_view, 6> kStepTimes{
    "steptime", "iterationtime", "timeperstep", "itertime", "batchtime", "timeperiteration"};

template <std::size_t kSize>
bool is_one_of(const std::array<std::string_view, kSize>& names, std::string_view quantity) {
  return std::find(names.begin(), names.end(), comparable(quantity)) != names.end();
}

}  // namespace

std::string canonical_name(const std::string& name) {
  const std::string plain = comparable(name);
  const auto* const found = std::find_if(std::begin(kNames), std::end(kNames),
                                         [&](const auto& one) { return one.first == plain; });
  return found == std::end(kNames) ? name : std::string(found->second);
}

bool is_time_name(std::string_view quantity) {
  return is_one_of(kTimeQuantities, quantity) || is_step_time_name(quantity);
}

bool is_step_time_name(std::string_view quantity) {
  return is_one_of(kStepTimes, quantity);
}

bool is_rate_name(std::string_view quantity) {
  return quantity == "throughput";
}

bool is_gpu_rate_name(std::string_view quantity) {
  return quantity == "throughput_per_gpu";
}

std::string usual_unit(std::string_view quantity) {
  if (quantity == "speedup" || quantity == "efficiency") return "1";
  if (is_rate_name(quantity) || is_gpu_rate_name(quantity)) return "image/s";
  return is_time_name(quantity) ? "s" : "";
}

}  // namespace dlscale::analysis
