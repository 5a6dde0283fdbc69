// SPDX-License-Identifier: Apache-2.0
// Compares the model with results of Barrachina et al. (Computing 105(5), 2023): the cluster AMPERE
// with 100 nodes of one A100 each, the step without overlap, eq (1), and 128 samples per GPU. The
// command line output is tested in tests/cli/verbs/barrachina_test.cpp.
#include <algorithm>
#include <catch2/catch.hpp>
#include <map>

#include "predict/scaling_curve.hpp"
#include "tests/predict/shipped_card.hpp"

using namespace dlscale;
using namespace dlscale::predict;

namespace {

constexpr const char* kModels[] = {"vgg16", "resnet50", "densenet121"};

struct Ampere {
  double peak_tflops = 156;
  double memory_gbs = 1555;
  double link_gbit = 200;  // nominal bandwidth in the analysis
  int processes = 100;
  double batch = 128;
};

const contract::ModelCard& card(const std::string& model, bool cifar10) {
  static std::map<std::string, contract::ModelCard> cards;
  const std::string name = model + (cifar10 ? "-3x32x32-10" : "-3x224x224-1000");
  if (!cards.contains(name)) cards[name] = test::shipped_card(name);
  return cards[name];
}

StepTime step(const contract::ModelCard& card, const Ampere& ampere) {
  const Link link{microseconds(0.5), gigabits_per_s(ampere.link_gbit)};
  const Rates rates{teraflops(ampere.peak_tflops), gigabytes_per_s(ampere.memory_gbs)};
  const AllReduceCost cost = [&](Bytes message) {
    return ring_all_reduce(link, ampere.processes, message);
  };
  const Bytes all = kSingle * static_cast<double>(card.parameters);
  return step_time(card, roofline(card, rates, ampere.batch, 0), ampere.processes, cost,
                   {.agreement = Agreement::at_once, .first_bucket = all, .bucket = all});
}

double total(const contract::ModelCard& card, const Ampere& ampere) {
  return step(card, ampere).total().value;
}

}  // namespace

TEST_CASE("Barrachina: layers are mostly bound by memory at 128 samples") {
  const Rates a100{teraflops(156), gigabytes_per_s(1555)};
  for (const char* model : kModels) {
    for (const bool cifar10 : {true, false}) {
      INFO(model << (cifar10 ? " CIFAR-10" : " ImageNet"));
      const ComputeTimes times = roofline(card(model, cifar10), a100, 128, 0);
      const auto bound = std::ranges::count_if(times.layers, [](const LayerTime& layer) {
        return layer.forward.bound == Bound::memory;
      });
      CHECK(2 * bound > static_cast<std::ptrdiff_t>(times.layers.size()));
    }
  }
}

TEST_CASE("Barrachina: DenseNet-121 reaches its plateau at 50 TFLOP/s") {
  const auto gain = [](const char* model, double from, double to) {
    return total(card(model, false), {.peak_tflops = from}) /
           total(card(model, false), {.peak_tflops = to});
  };
  for (const bool cifar10 : {true, false}) {
    CHECK(step(card("densenet121", cifar10), {.peak_tflops = 30}).bound == Bound::compute);
    CHECK(step(card("densenet121", cifar10), {.peak_tflops = 50}).bound == Bound::memory);
  }
  CHECK(gain("densenet121", 10, 50) > 2.5);
  CHECK(gain("densenet121", 50, 300) < 1.3);
  CHECK(gain("resnet50", 50, 300) > gain("densenet121", 50, 300));
  CHECK(gain("vgg16", 50, 300) > gain("resnet50", 50, 300));
}

TEST_CASE("Barrachina: VGG16 on CIFAR-10 is bound by communication at 30 TFLOP/s") {
  const auto& vgg = card("vgg16", true);
  CHECK(step(vgg, {.peak_tflops = 30}).bound == Bound::communication);
  CHECK(step(vgg, {.peak_tflops = 20}).bound == Bound::compute);
}

TEST_CASE("Barrachina: a link of 10 Gbit/s is a bottleneck, especially on CIFAR-10") {
  for (const char* model : kModels) {
    INFO(model);
    const auto slowdown = [&](bool cifar10, double link_gbit) {
      return total(card(model, cifar10), {.link_gbit = link_gbit}) /
             total(card(model, cifar10), {});
    };
    CHECK(slowdown(false, 10) > 1.2);
    CHECK(slowdown(true, 10) > slowdown(false, 10));
  }
  // The bandwidth at which the limiting resource changes lies between 10 and 30 Gbit/s.
  const auto& resnet = card("resnet50", false);
  CHECK(step(resnet, {.link_gbit = 10}).bound == Bound::communication);
  CHECK(step(resnet, {.link_gbit = 30}).bound != Bound::communication);
}

TEST_CASE("Barrachina: cost is flat up to 100 processes") {
  for (const char* model : kModels) {
    for (const bool cifar10 : {true, false}) {
      INFO(model << (cifar10 ? " CIFAR-10" : " ImageNet"));
      const auto& of_model = card(model, cifar10);
      const auto on = [&](int processes) { return total(of_model, {.processes = processes}); };
      CHECK(on(100) < 1.15 * on(8));
    }
  }
}

TEST_CASE("Barrachina: at 16 samples memory or communication bounds the step") {
  for (const char* model : kModels) {
    for (const bool cifar10 : {true, false}) {
      INFO(model << (cifar10 ? " CIFAR-10" : " ImageNet"));
      CHECK(step(card(model, cifar10), {.batch = 16}).bound != Bound::compute);
    }
  }
}

TEST_CASE("Barrachina: time is proportional to the batch") {
  for (const char* model : kModels) {
    INFO(model);
    const auto computing = [&](double batch) {
      const StepTime time = step(card(model, false), {.batch = batch});
      return (time.forward + time.backward).value;
    };
    CHECK(computing(256) / computing(128) == Approx(2).epsilon(0.05));
    CHECK(computing(128) / computing(64) == Approx(2).epsilon(0.1));
  }
}
