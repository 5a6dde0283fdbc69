// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/kernel_regressor.hpp"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "trainer/data/random_stream.hpp"
#include "trainer/optim/optimizer.hpp"

namespace dlscale::trainer {
namespace {

constexpr int kHiddenLayers = 5, kWidth = 50;
constexpr double kHeldOut = 0.2;
// An error counts as a decrease if it is less than this share of the smallest error so far.
constexpr double kSmaller = 1 - 1e-4;

/// Fully connected network with ReLU between layers. The network computes in float64, because the
/// calibration file stores float64 values. The stored model is therefore exactly the trained model.
struct RegressorNet {
  std::vector<at::Tensor> weights, biases;

  /// Returns the n predictions for `values`, a tensor of the shape n x inputs.
  at::Tensor operator()(at::Tensor values) const {
    for (std::size_t i = 0; i < weights.size(); ++i) {
      values = at::linear(values, weights[i], biases[i]);
      if (i + 1 < weights.size()) values = at::relu(values);
    }
    return values.squeeze(1);
  }
  std::vector<at::Tensor> tensors() const {
    std::vector<at::Tensor> all = weights;
    all.insert(all.end(), biases.begin(), biases.end());
    return all;
  }
};

/// Returns an untrained network. The weights are drawn from Glorot's uniform distribution and the
/// biases are zero, like in Keras.
RegressorNet fresh_net(std::size_t inputs, RandomStream& random) {
  RegressorNet net;
  auto in = static_cast<std::int64_t>(inputs);
  for (int layer = 0; layer <= kHiddenLayers; ++layer) {
    const std::int64_t out = layer < kHiddenLayers ? kWidth : 1;
    const double bound = std::sqrt(6.0 / static_cast<double>(in + out));
    const at::Tensor weight = at::empty({out, in}, at::kDouble);
    double* const values = weight.mutable_data_ptr<double>();
    for (std::int64_t i = 0; i < weight.numel(); ++i) values[i] = random.uniform(-bound, bound);
    net.weights.push_back(weight.requires_grad_());
    net.biases.push_back(at::zeros({out}, at::kDouble).requires_grad_());
    in = out;
  }
  return net;
}

RegressorNet copy_of_net(const RegressorNet& net) {
  RegressorNet copy;
  for (const at::Tensor& each : net.weights) copy.weights.push_back(each.detach().clone());
  for (const at::Tensor& each : net.biases) copy.biases.push_back(each.detach().clone());
  return copy;
}

struct Lesson {
  at::Tensor inputs;  ///< normalised logarithms of the sizes, n x inputs
  at::Tensor target;  ///< normalised logarithms of the times, n values
};

/// Returns a table of the logarithms of the sizes, with one row per size and one column per key.
at::Tensor logarithms(const std::vector<KernelSize>& sizes, const std::vector<std::string>& keys) {
  const at::Tensor table =
      at::empty({static_cast<std::int64_t>(sizes.size()), static_cast<std::int64_t>(keys.size())},
                at::kDouble);
  double* value = table.mutable_data_ptr<double>();
  for (const KernelSize& size : sizes) {
    for (const std::string& key : keys) *value++ = std::log(size.at(key));
  }
  return table;
}

at::Tensor tensor_of(const std::vector<double>& values) {
  return at::tensor(values, at::kDouble);
}

std::vector<double> values_of(const at::Tensor& tensor) {
  const at::Tensor row = tensor.detach().contiguous();
  const double* const first = row.const_data_ptr<double>();
  return {first, first + row.numel()};
}

at::Tensor normalised_inputs(const contract::KernelModel& model,
                             const std::vector<KernelSize>& sizes) {
  return (logarithms(sizes, model.inputs) - tensor_of(model.input_mean)) /
         tensor_of(model.input_deviation);
}

Lesson lesson_of(const contract::KernelModel& model,
                 const std::vector<contract::KernelTime>& times) {
  std::vector<KernelSize> sizes;
  std::vector<double> targets;
  for (const contract::KernelTime& each : times) {
    sizes.push_back(each.size);
    targets.push_back((std::log(each.seconds) - model.output_mean) / model.output_deviation);
  }
  return {normalised_inputs(model, sizes), tensor_of(targets)};
}

struct MeanAndDeviation {
  double mean = 0, deviation = 1;
};

/// Returns the mean and the standard deviation of `values`. If all values are equal, the returned
/// deviation is 1, because the values are later divided by the deviation.
MeanAndDeviation spread_of(const std::vector<double>& values) {
  MeanAndDeviation spread;
  const auto n = static_cast<double>(values.size());
  spread.mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double each : values) squares += std::pow(each - spread.mean, 2);
  if (squares > 0) spread.deviation = std::sqrt(squares / n);
  return spread;
}

/// Stores in `model` the mean and the deviation of the logarithms of the sizes, and the range of
/// each size key.
void note_ranges(contract::KernelModel& model, const std::vector<contract::KernelTime>& times) {
  for (const std::string& key : model.inputs) {
    std::vector<double> values, logs;
    for (const contract::KernelTime& each : times) {
      values.push_back(each.size.at(key));
      logs.push_back(std::log(values.back()));
    }
    const MeanAndDeviation spread = spread_of(logs);
    model.input_mean.push_back(spread.mean);
    model.input_deviation.push_back(spread.deviation);
    model.input_least.push_back(*std::min_element(values.begin(), values.end()));
    model.input_most.push_back(*std::max_element(values.begin(), values.end()));
  }
  std::vector<double> logs;
  for (const contract::KernelTime& each : times) logs.push_back(std::log(each.seconds));
  const MeanAndDeviation spread = spread_of(logs);
  model.output_mean = spread.mean;
  model.output_deviation = spread.deviation;
}

template <class T>
void shuffle_by(std::vector<T>& values, RandomStream& random) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[random.below(i)]);
}

/// Training of one network.
class Course {
 public:
  Course(const Teaching& teaching, std::size_t inputs, RandomStream& random)
      : teaching_(teaching),
        random_(random),
        net_(fresh_net(inputs, random)),
        optimizer_(base::find(optimizer_table(), "optimizer", "adam")
                       .make({.kind = "adam"}, {.tensors = net_.tensors()})) {}

  /// Trains the network on `lesson`. Returns the network as it was after the epoch with the
  /// smallest error on the validation data `watched`.
  RegressorNet teach(const Lesson& lesson, const Lesson& watched) {
    RegressorNet best = copy_of_net(net_);
    double least = std::numeric_limits<double>::infinity(), rate = teaching_.learning_rate;
    int flat = 0, flat_at_rate = 0;
    for (int epoch = 0; epoch < teaching_.most_epochs && flat < teaching_.flat_to_stop; ++epoch) {
      run_epoch(lesson, rate);
      const double error = error_of(watched);
      ++flat;
      ++flat_at_rate;
      if (error < least * kSmaller) {
        least = error;
        best = copy_of_net(net_);
        flat = flat_at_rate = 0;
      }
      if (flat_at_rate == teaching_.flat_to_slow) {
        rate *= teaching_.slower;
        flat_at_rate = 0;
      }
    }
    return best;
  }

 private:
  void run_epoch(const Lesson& lesson, double rate) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(lesson.target.numel()));
    std::iota(order.begin(), order.end(), 0);
    shuffle_by(order, random_);
    const at::Tensor shuffled = at::tensor(order, at::kLong);
    for (std::int64_t first = 0; first < shuffled.numel(); first += teaching_.batch) {
      const std::int64_t length = std::min<std::int64_t>(teaching_.batch, shuffled.numel() - first);
      const at::Tensor chosen = shuffled.narrow(0, first, length);
      for (const at::Tensor& each : net_.tensors()) each.mutable_grad().reset();
      at::mse_loss(net_(lesson.inputs.index_select(0, chosen)),
                   lesson.target.index_select(0, chosen))
          .backward();
      optimizer_->step(rate);
    }
  }

  double error_of(const Lesson& lesson) const {
    const at::NoGradGuard no_grad;
    return at::mse_loss(net_(lesson.inputs), lesson.target).item<double>();
  }

  const Teaching& teaching_;
  RandomStream& random_;
  RegressorNet net_;
  std::unique_ptr<Optimizer> optimizer_;
};

/// Stores in `model` the relative error (RE) and the weighted relative error (WRE) on the held-out
/// measurements. The calibration file format defines both errors.
void note_errors(contract::KernelModel& model, const std::vector<contract::KernelTime>& held_out) {
  std::vector<KernelSize> sizes;
  for (const contract::KernelTime& each : held_out) sizes.push_back(each.size);
  const std::vector<double> estimated = ask_kernel_model(model, sizes);
  double relative = 0, absolute = 0, measured = 0;
  for (std::size_t i = 0; i < held_out.size(); ++i) {
    const double error = estimated[i] / held_out[i].seconds - 1;
    model.held_out_errors.push_back(error);
    relative += std::abs(error);
    absolute += std::abs(estimated[i] - held_out[i].seconds);
    measured += held_out[i].seconds;
  }
  std::sort(model.held_out_errors.begin(), model.held_out_errors.end());
  model.relative_error = relative / static_cast<double>(held_out.size());
  model.weighted_relative_error = absolute / measured;
}

}  // namespace

contract::KernelModel teach_kernel(const std::vector<contract::KernelTime>& times,
                                   const std::vector<std::string>& inputs,
                                   const Teaching& teaching) {
  RandomStream random(teaching.seed, times.size());
  std::vector<contract::KernelTime> held_out = times;
  shuffle_by(held_out, random);
  const auto take_first = [&](std::size_t count) {
    const auto first = held_out.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<contract::KernelTime> taken(first, held_out.end());
    held_out.erase(first, held_out.end());
    return taken;
  };
  const auto share = [](std::size_t of, double part) {
    return static_cast<std::size_t>(std::lround(part * static_cast<double>(of)));
  };
  std::vector<contract::KernelTime> watched = take_first(share(times.size(), 1 - kHeldOut));
  const std::size_t watching = share(watched.size(), kHeldOut);
  const std::vector<contract::KernelTime> taught(
      watched.begin() + static_cast<std::ptrdiff_t>(watching), watched.end());
  watched.resize(watching);

  contract::KernelModel model{.kernel = times.front().kernel,
                              .precision = times.front().precision,
                              .inputs = inputs,
                              .taught_with = static_cast<int>(taught.size())};
  note_ranges(model, taught);
  const RegressorNet net = Course(teaching, inputs.size(), random)
                               .teach(lesson_of(model, taught), lesson_of(model, watched));
  for (std::size_t i = 0; i < net.weights.size(); ++i) {
    model.layers.push_back({values_of(net.weights[i]), values_of(net.biases[i])});
  }
  note_errors(model, held_out);
  return model;
}

std::vector<double> ask_kernel_model(const contract::KernelModel& model,
                                     const std::vector<KernelSize>& sizes) {
  const at::NoGradGuard no_grad;
  RegressorNet net;
  for (const contract::DenseWeights& layer : model.layers) {
    const auto out = static_cast<std::int64_t>(layer.biases.size());
    net.weights.push_back(tensor_of(layer.weights).view({out, -1}));
    net.biases.push_back(tensor_of(layer.biases));
  }
  const at::Tensor logs =
      net(normalised_inputs(model, sizes)) * model.output_deviation + model.output_mean;
  return values_of(at::exp(logs));
}

}  // namespace dlscale::trainer
