// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/comm_sweep.hpp"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "base/registry.hpp"
#include "trainer/bench/kernel_timer.hpp"
#include "trainer/sync/tensor_collectives.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kFewestCalls = 5, kMostCalls = 1000;
constexpr std::int64_t kCheckedAtOnce = 1 << 20;  // number of elements checked together
/// Period of the test values: a prime number, so that the check detects shifts by usual rank
/// counts.
constexpr int kPatterns = 13;

/// Arrays of one collective call: the whole array, and the part of the array that belongs to this
/// rank.
struct Arrays {
  at::Tensor whole, part;
};

/// Set of equally large arrays that successive calls use in turn.
class Rotation {
 public:
  /// Creates the rotation. `wholes` holds the elements of all whole arrays, and `parts` holds the
  /// elements of all parts. `count` is the number of elements of one whole array, and `part` is the
  /// number of elements of one part.
  Rotation(at::Tensor wholes, at::Tensor parts, std::int64_t count, std::int64_t part)
      : wholes_(std::move(wholes)), parts_(std::move(parts)), count_(count), part_(part) {}

  Arrays first() const { return at(0); }
  Arrays next() { return at(turn_++ % (wholes_.numel() / count_)); }
  void clear() {
    wholes_.zero_();
    parts_.zero_();
  }

 private:
  Arrays at(std::int64_t i) const {
    return {wholes_.narrow(0, i * count_, count_), parts_.narrow(0, i * part_, part_)};
  }

  at::Tensor wholes_, parts_;
  std::int64_t count_, part_;
  std::int64_t turn_ = 0;
};

/// Returns the test value that `rank` contributes to element i of a collective.
double term(int rank, std::int64_t i) {
  return rank + 1 + static_cast<double>(i % kPatterns);
}

/// Returns the sum of the contributions of all ranks to element i.
double sum_of_terms(int ranks, std::int64_t i) {
  return ranks * (ranks + 1) / 2.0 + ranks * static_cast<double>(i % kPatterns);
}

struct Collective {
  const char* name;
  bool shares;  ///< true when the array is divided into equal parts, one per rank
  double (*factor)(double ranks);
  void (*call)(Communicator&, const Arrays&);
  /// gives_part is true when the input of a rank is only its part of the array. gets_part is true
  /// when the output of a rank is only its part of the array.
  bool gives_part, gets_part;
  /// Returns element i of the input of `rank`.
  double (*given)(int rank, std::int64_t i);
  /// Returns element i of the expected output of `rank`.
  double (*expected)(int rank, int ranks, std::int64_t i, std::int64_t share);
};

const Collective kCollectives[] = {
    {"all_reduce", false, [](double n) { return 2 * (n - 1) / n; },
     [](Communicator& c, const Arrays& a) { c.all_reduce(span_of(a.whole), ReduceOp::sum); }, false,
     false, term,
     [](int, int ranks, std::int64_t i, std::int64_t) { return sum_of_terms(ranks, i); }},
    {"reduce_scatter", true, [](double n) { return (n - 1) / n; },
     [](Communicator& c, const Arrays& a) {
       c.reduce_scatter(span_of(a.whole), span_of(a.part), ReduceOp::sum);
     },
     false, true, term,
     [](int rank, int ranks, std::int64_t i, std::int64_t share) {
       return sum_of_terms(ranks, rank * share + i);
     }},
    {"all_gather", true, [](double n) { return (n - 1) / n; },
     [](Communicator& c, const Arrays& a) { c.all_gather(span_of(a.part), span_of(a.whole)); },
     true, false, term,
     [](int, int, std::int64_t i, std::int64_t share) {
       return term(static_cast<int>(i / share), i % share);
     }},
    {"broadcast", false, [](double) { return 1.0; },
     [](Communicator& c, const Arrays& a) { c.broadcast(span_of(a.whole), 0); }, false, false,
     [](int rank, std::int64_t i) { return rank == 0 ? term(0, i) : 0; },
     [](int, int, std::int64_t i, std::int64_t) { return term(0, i); }},
    {"reduce", false, [](double) { return 1.0; },
     [](Communicator& c, const Arrays& a) { c.reduce(span_of(a.whole), ReduceOp::sum, 0); }, false,
     false, term,
     [](int rank, int ranks, std::int64_t i, std::int64_t) {
       return rank == 0 ? sum_of_terms(ranks, i) : term(rank, i);
     }},
};

const Collective& collective_of(const std::string& name) {
  for (const Collective& each : kCollectives) {
    if (name == each.name) return each;
  }
  throw base::UsageError(base::unknown_name("collective", name, measured_collectives()));
}

at::ScalarType type_of(const std::string& precision) {
  return precision == "bf16" ? at::kBFloat16 : at::kFloat;
}

/// Returns the relative tolerance for the check of a result. The tolerance covers one rounding
/// error per rank. The test values are whole numbers, whose sums in fp32 have no rounding error as
/// long as fp32 can represent the sums exactly.
double tolerance(const std::string& precision, int ranks) {
  return ranks * (precision == "bf16" ? 0x1p-8 : 0x1p-24);
}

template <class Value>
void fill(const at::Tensor& tensor, const Value& value) {
  std::vector<float> block;
  for (std::int64_t first = 0; first < tensor.numel(); first += kCheckedAtOnce) {
    const std::int64_t length = std::min(kCheckedAtOnce, tensor.numel() - first);
    block.resize(static_cast<std::size_t>(length));
    for (std::int64_t i = 0; i < length; ++i) {
      block[static_cast<std::size_t>(i)] = static_cast<float>(value(first + i));
    }
    tensor.narrow(0, first, length).copy_(at::from_blob(block.data(), {length}, at::kFloat));
  }
}

/// Returns the number of elements that differ from their expected value by more than `tolerance`
/// times the expected value.
template <class Value>
std::int64_t count_wrong(const at::Tensor& tensor, double tolerance, const Value& value) {
  std::int64_t wrong = 0;
  for (std::int64_t first = 0; first < tensor.numel(); first += kCheckedAtOnce) {
    const std::int64_t length = std::min(kCheckedAtOnce, tensor.numel() - first);
    const at::Tensor block = tensor.narrow(0, first, length).to(at::kCPU, at::kFloat).contiguous();
    const float* const got = block.const_data_ptr<float>();
    for (std::int64_t i = 0; i < length; ++i) {
      const double expected = value(first + i);
      // The comparison is negated so that NaN counts as wrong too.
      if (!(std::abs(got[i] - expected) <= tolerance * expected)) ++wrong;
    }
  }
  return wrong;
}

/// Measurement of the collectives between the ranks of one communicator.
class Measuring {
 public:
  Measuring(const CommSweep& sweep, Communicator& communicator, Device& device,
            const base::Clock& clock)
      : sweep_(sweep), ranks_(communicator), device_(device), clock_(clock) {}

  contract::CommTime measure(const Collective& collective, std::int64_t count) {
    const at::TensorOptions options =
        at::TensorOptions(type_of(sweep_.precision)).device(device_.torch_device());
    contract::CommTime time{.collective = collective.name, .precision = sweep_.precision};
    time.bytes = count * static_cast<std::int64_t>(options.dtype().itemsize());
    const std::int64_t arrays =
        std::clamp<std::int64_t>(sweep_.rotated_bytes / time.bytes, 1, kMostCalls);
    const std::int64_t part = collective.shares ? count / ranks_.size() : 0;
    Rotation rotation(at::zeros({arrays * count}, options), at::zeros({arrays * part}, options),
                      count, part);
    time.wrong = wrong_of(collective, rotation.first());
    rotation.clear();
    device_.synchronize();
    const int iterations = iterations_of(collective, rotation);
    time.warm_up = sweep_.warm_up;
    note(time, timing_of(slowest(collective, rotation, iterations)));
    return time;
  }

 private:
  std::int64_t wrong_of(const Collective& collective, const Arrays& arrays) {
    const int rank = ranks_.rank(), size = ranks_.size();
    fill(collective.gives_part ? arrays.part : arrays.whole,
         [&](std::int64_t i) { return collective.given(rank, i); });
    device_.synchronize();
    collective.call(ranks_, arrays);
    const std::int64_t share = std::max<std::int64_t>(1, arrays.part.numel());
    std::int64_t wrong = count_wrong(
        collective.gets_part ? arrays.part : arrays.whole, tolerance(sweep_.precision, size),
        [&](std::int64_t i) { return collective.expected(rank, size, i, share); });
    ranks_.all_reduce({&wrong, 1, ElementType::int64}, ReduceOp::sum);
    return wrong;
  }

  double seconds_of_call(const Collective& collective, const Arrays& arrays) {
    ranks_.barrier();
    const double start_s = clock_.steady_s();
    collective.call(ranks_, arrays);
    return clock_.steady_s() - start_s;
  }

  /// Runs the collective `calls` times. Returns for each call the seconds that the call took on its
  /// slowest rank. The result is the same on all ranks.
  std::vector<double> slowest(const Collective& collective, Rotation& rotation, int calls) {
    std::vector<double> seconds(static_cast<std::size_t>(calls));
    for (double& each : seconds) each = seconds_of_call(collective, rotation.next());
    ranks_.all_reduce({seconds.data(), calls, ElementType::float64}, ReduceOp::max);
    return seconds;
  }

  /// Runs the warm-up calls. Returns the number of calls to measure: the number that the user
  /// requested, or the number of calls that fit in the measuring time.
  int iterations_of(const Collective& collective, Rotation& rotation) {
    double before_s = clock_.steady_s();
    const int calls = std::max(1, sweep_.warm_up);
    slowest(collective, rotation, calls);
    double each_s = (clock_.steady_s() - before_s) / calls;  // includes the barrier between calls
    ranks_.all_reduce({&each_s, 1, ElementType::float64}, ReduceOp::max);
    if (sweep_.iterations > 0) return sweep_.iterations;
    const double room = sweep_.seconds / std::max(each_s, 1e-9);
    return static_cast<int>(std::clamp<double>(room, kFewestCalls, kMostCalls));
  }

  void note(contract::CommTime& time, const Timing& timing) const {
    time.algorithm = ranks_.all_reduce_name();
    time.ranks = ranks_.size();
    time.seconds = timing.median_s;
    time.low_s = timing.low_s;
    time.high_s = timing.high_s;
    time.least_s = timing.least_s;
    time.most_s = timing.most_s;
    time.iterations = timing.values;
    time.algbw_gbs = static_cast<double>(time.bytes) / timing.median_s * 1e-9;
    time.busbw_gbs = time.algbw_gbs * bus_factor(time.collective, time.ranks);
    time.time = clock_.unix_s();
  }

  const CommSweep& sweep_;
  Communicator& ranks_;
  Device& device_;
  const base::Clock& clock_;
};

}  // namespace

std::vector<std::string> measured_collectives() {
  std::vector<std::string> names;
  for (const Collective& each : kCollectives) names.emplace_back(each.name);
  return names;
}

std::vector<std::string> measured_precisions() {
  return {"fp32", "bf16"};
}

double bus_factor(const std::string& collective, int ranks) {
  return collective_of(collective).factor(ranks);
}

std::vector<std::int64_t> sweep_counts(const CommSweep& sweep, const std::string& collective,
                                       int ranks) {
  const auto element = static_cast<double>(at::elementSize(type_of(sweep.precision)));
  const std::int64_t unit = collective_of(collective).shares ? ranks : 1;
  std::vector<std::int64_t> counts;
  // The margin ensures that the largest size is not lost because of rounding errors in the repeated
  // multiplication by the factor.
  const double most = static_cast<double>(sweep.most_bytes) * (1 + 1e-9);
  for (auto bytes = static_cast<double>(sweep.least_bytes); bytes <= most; bytes *= sweep.factor) {
    const auto elements = static_cast<std::int64_t>(bytes / element + 1e-6);
    const std::int64_t count = std::max<std::int64_t>(1, elements / unit) * unit;
    if (counts.empty() || count > counts.back()) counts.push_back(count);
  }
  return counts;
}

void sweep_collectives(const CommSweep& sweep, Communicator& communicator, Device& device,
                       const base::Clock& clock, const OnCommTime& found) {
  std::vector<std::pair<const Collective*, std::int64_t>> sizes;
  for (const std::string& name : sweep.collectives) {
    for (const std::int64_t count : sweep_counts(sweep, name, communicator.size())) {
      sizes.emplace_back(&collective_of(name), count);
    }
  }
  Measuring measuring(sweep, communicator, device, clock);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    found(measuring.measure(*sizes[i].first, sizes[i].second), static_cast<int>(i),
          static_cast<int>(sizes.size()));
  }
}

}  // namespace dlscale::trainer
