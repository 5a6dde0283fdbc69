// SPDX-License-Identifier: Apache-2.0
#include "tests/trainer/models/torchvision_reference.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/file.hpp"
#include "tests/trainer/models/made_model.hpp"
#include "trainer/optim/loss.hpp"

namespace dlscale::test {

using nlohmann::json;

struct TorchvisionReference::Numbers {
  json values;
};

namespace {

constexpr double kTolerance = 1e-9;
/// Smallest scale of a comparison, as a share of the norm of the whole gradient. Smaller gradients
/// are rounding errors, for example the gradient of a bias before a batch norm.
constexpr double kSmallest = 1e-6;

/// Pseudo-random values in [0, 1): the finaliser of splitmix64 over the FNV-1a hash of a name.
class NamedValues {
 public:
  explicit NamedValues(const std::string& name) {
    for (const char c : name) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  }
  double unit(std::uint64_t i) const {
    std::uint64_t z = hash_ + (i + 1) * 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
  }
  /// Returns a tensor of values scale * [-1, 1) + shift.
  at::Tensor tensor(at::IntArrayRef shape, double scale, double shift) const {
    const at::Tensor made = at::empty(shape, at::kDouble);
    double* const values = made.data_ptr<double>();
    for (std::int64_t i = 0; i < made.numel(); ++i) {
      values[i] = scale * (2 * unit(static_cast<std::uint64_t>(i)) - 1) + shift;
    }
    return made;
  }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

at::Tensor filling(const std::string& name, at::IntArrayRef shape) {
  const NamedValues values(name);
  if (name.ends_with("running_mean")) return values.tensor(shape, 0.2, 0);
  if (name.ends_with("running_var")) return values.tensor(shape, 0.5, 1);
  if (name.ends_with("num_batches_tracked")) return at::zeros(shape, at::kLong);
  if (name.ends_with("bias")) return values.tensor(shape, 0.1, 0);
  if (shape.size() == 1) return values.tensor(shape, 0.3, 0.5);
  const auto fan_in = static_cast<double>(c10::multiply_integers(shape.slice(1)));
  return values.tensor(shape, std::sqrt(6 / fan_in), 0);
}

void fill(trainer::Model& model) {
  const at::NoGradGuard no_gradients;
  for (const trainer::NamedTensor& part : model.weights()) {
    part.tensor.detach().copy_(filling(part.name, part.tensor.sizes()));
  }
}

void check_torchvision_reference_close(double found, double expected, double scale) {
  CHECK(std::abs(found - expected) <= kTolerance * std::abs(scale));
}

void check_scores(const at::Tensor& scores, const json& expected) {
  for (std::int64_t b = 0; b < scores.size(0); ++b) {
    const json& one = expected[static_cast<std::size_t>(b)];
    const double l2 = one["l2"];
    check_torchvision_reference_close(scores[b].norm().item<double>(), l2, l2);
    check_torchvision_reference_close(scores[b].sum().item<double>(), one["sum"], l2);
    CHECK(scores[b].argmax().item<std::int64_t>() == one["argmax"].get<std::int64_t>());
    for (int i = 0; i < 8; ++i)
      check_torchvision_reference_close(scores[b][i].item<double>(), one["first8"][i], l2);
  }
}

void check_gradients(const trainer::Model& model, const json& expected) {
  const double whole = expected["grad_l2"];
  double squares = 0;
  for (std::size_t i = 0; i < model.parameters().size(); ++i) {
    const std::string& name = model.parameter_names()[i];
    INFO(name);
    const at::Tensor gradient = model.parameters()[i].grad();
    const double own = expected["grad_l2_by_param"][i], scale = std::max(own, kSmallest * whole);
    const double norm = gradient.norm().item<double>();
    squares += norm * norm;
    check_torchvision_reference_close(norm, own, scale);
    const at::Tensor probe = NamedValues("probe:" + name).tensor(gradient.sizes(), 1, 0);
    check_torchvision_reference_close((gradient * probe).sum().item<double>(),
                                      expected["grad_dot_by_param"][i], scale);
    model.parameters()[i].mutable_grad().reset();
  }
  check_torchvision_reference_close(std::sqrt(squares), whole, whole);
}

void check_sum(const trainer::Model& model, double expected) {
  double sum = 0;
  for (const at::Tensor& each : model.parameters()) sum += each.sum().item<double>();
  check_torchvision_reference_close(sum, expected, expected);
}

void check_names(trainer::Model& model, const json& expected) {
  const auto state = model.weights();
  std::size_t next = 0;
  for (const char* kind : {"params", "buffers"}) {
    for (const json& part : expected[kind]) {
      REQUIRE(next < state.size());
      CHECK(state[next].name == part[0].get<std::string>());
      CHECK(state[next].tensor.sizes().vec() == part[1].get<std::vector<std::int64_t>>());
      ++next;
    }
  }
  CHECK(next == state.size());
}

void check_pass(trainer::Model& model, bool training, const json& expected) {
  model.set_training(training);
  const at::Tensor input = NamedValues("input").tensor({2, 3, 64, 64}, 1, 0);
  const at::Tensor scores = model.forward(input);
  check_scores(scores.detach(), expected["logits"]);
  const at::Tensor loss = trainer::cross_entropy(scores, torch::tensor({3, 7}), 0);
  check_torchvision_reference_close(loss.item<double>(), expected["loss"], expected["loss"]);
  loss.backward();
  check_gradients(model, expected);
}

void check_running_sums(trainer::Model& model, const json& after) {
  double means = 0, variances = 0;
  for (const trainer::NamedTensor& part : model.weights()) {
    if (part.name.ends_with("running_mean")) means += part.tensor.sum().item<double>();
    if (part.name.ends_with("running_var")) variances += part.tensor.sum().item<double>();
  }
  check_torchvision_reference_close(means, after["running_mean"], after["running_var"]);
  check_torchvision_reference_close(variances, after["running_var"], after["running_var"]);
}

void check_model(const std::string& name, const json& expected) {
  const auto model = make_model(name, model_context({3, 224, 224}, 1000, trainer::Precision::fp64));
  CHECK(trainer::parameter_count(*model) == expected["param_count"].get<std::int64_t>());
  check_names(*model, expected);
  fill(*model);
  if (expected.contains("param_sum")) check_sum(*model, expected["param_sum"]);
  if (expected.contains("eval_1x3x224x224")) {
    model->set_training(false);
    const at::NoGradGuard no_gradients;
    const at::Tensor input = NamedValues("input").tensor({1, 3, 224, 224}, 1, 0);
    check_scores(model->forward(input), expected["eval_1x3x224x224"]["logits"]);
  }
  check_pass(*model, false, expected["eval_2x3x64x64"]);
  if (!expected["train_2x3x64x64"].is_object()) return;
  check_pass(*model, true, expected["train_2x3x64x64"]);
  check_running_sums(*model, expected["train_2x3x64x64"]["running_sum_after"]);
}

}  // namespace

TorchvisionReference::TorchvisionReference(const std::filesystem::path& file)
    : numbers_(std::make_unique<const Numbers>(Numbers{json::parse(base::read_file(file))})) {
  REQUIRE(NamedValues("fc.weight").unit(0) ==
          numbers_->values["check"]["unit_fc_weight_first4"][0].get<double>());
}

TorchvisionReference::~TorchvisionReference() = default;

std::vector<std::string> TorchvisionReference::models() const {
  std::vector<std::string> names;
  for (const auto& [name, expected] : numbers_->values["models"].items()) names.push_back(name);
  return names;
}

void TorchvisionReference::check_small_vgg(const std::string& model) const {
  INFO(model);
  constexpr std::int64_t kHidden = 4096, kChannels = 512, kParts = 7 * 7;
  json expected = numbers_->values["models"].at(model);
  for (json& part : expected["params"]) {
    if (part[0] != "classifier.0.weight") continue;
    CHECK(part[1] == json({kHidden, kChannels * kParts}));
    part[1][1] = kChannels;
  }
  const auto made = make_model(model, model_context({3, 32, 32}, 1000));
  check_names(*made, expected);
  CHECK(trainer::parameter_count(*made) + kHidden * kChannels * (kParts - 1) ==
        expected["param_count"].get<std::int64_t>());
}

void TorchvisionReference::check(const std::string& model) const {
  INFO(model);
  check_model(model, numbers_->values["models"].at(model));
}

}  // namespace dlscale::test
