// SPDX-License-Identifier: Apache-2.0
#include "analysis/publications/comparison.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "tests/analysis/publications/publication.hpp"
#include "tests/analysis/support/rows.hpp"

using namespace dlscale;
using analysis::Comparison;
using analysis::Publication;
using test::frame_of;
using test::run_at;

namespace {

/// Comparison, together with the data to which the comparison refers.
struct Compared {
  Compared(Publication what, std::vector<analysis::RunRow> runs)
      : publication(std::move(what)),
        frame(frame_of(std::move(runs))),
        curves(scaling_curves(frame)),
        own{own_points(curves), {}},
        comparison(compare(publication, own)) {}

  Publication publication;
  analysis::Frame frame;
  std::vector<analysis::ScalingCurve> curves;
  analysis::OwnResults own;
  Comparison comparison;
};

}  // namespace

TEST_CASE("efficiency is compared at the publication's baseline instead of the smallest count") {
  Publication publication = test::publication_of(
      "framework,gpus,quantity,relation,value\nddp,8,efficiency,=,0.80\nhorovod,8,efficiency,=,0."
      "7\n");
  publication.baseline_gpus = 4;
  const Compared it(publication, {run_at(1, 300), run_at(4, 1000), run_at(8, 1800)});
  REQUIRE(it.comparison.matches.size() == 1);
  const analysis::Match& match = it.comparison.matches[0];
  CHECK(match.own.value == Approx(0.9));
  CHECK(match.own.n == 1);
  CHECK(difference(*match.published, match.own.value) == Approx(0.125));
  CHECK(verdict(match) == "higher");
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("efficiency follows the formula of the publication") {
  Publication publication = test::publication_of("gpus,quantity,value\n8,efficiency,0.10\n");
  publication.baseline_gpus = 4;
  publication.definitions["efficiency"].formula = "speedup / gpus";
  const std::vector<analysis::RunRow> runs{run_at(4, 1000), run_at(8, 1600)};
  CHECK(Compared(publication, runs).comparison.matches.at(0).own.value == Approx(0.2));
  publication.definitions["efficiency"].reading = "speedup / nodes";
  CHECK(Compared(publication, runs).comparison.matches.at(0).own.value == Approx(0.8));
}

TEST_CASE("without a point at the publication's baseline there is no measured efficiency") {
  Publication publication = test::publication_of("gpus,quantity,value\n8,efficiency,0.80\n");
  publication.baseline_gpus = 4;
  const Compared it(publication, {run_at(1, 300), run_at(8, 1800)});
  CHECK(it.comparison.matches.empty());
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("throughput follows the publication's formula if runs recorded the parts") {
  Publication publication = test::publication_of(
      "gpus,throughput@own [image/s],throughput@median [image/s]\n2,100,100\n");
  publication.definitions["throughput"] = {
      "batch / (loading_s + compute_s)", "", "own", "", {}, {}};
  analysis::RunRow slow = run_at(2, 64), fast = run_at(2, 128, "ddp", 2);
  for (analysis::RunRow* run : {&slow, &fast}) {
    run->global_batch = 128;
    run->steps.steps = 1;
    run->steps.samples = 128;
  }
  slow.steps.wall_s = 2;
  slow.steps.parts_s = {0.5, 0, 1.5};
  fast.steps.wall_s = 1;
  fast.steps.parts_s = {0.5, 0, 0.5};
  const Compared it(publication, {slow, fast});
  REQUIRE(it.comparison.matches.size() == 2);
  CHECK(it.comparison.matches[0].own.value == Approx(128 / 1.5));  // rate at the mean time
  CHECK(it.comparison.matches[0].own.interval.kind == analysis::Interval::Kind::None);
  CHECK(it.comparison.matches[1].own.value == Approx(128 / 1.5));  // rate at the median
  CHECK(it.comparison.matches[1].own.interval.kind == analysis::Interval::Kind::Range);
}

TEST_CASE("a gain between two counts is compared with the same two measured points") {
  const Compared it(test::publication_of("quantity,relation,value,unit,along,from,to\n"
                                         "throughput,gain,40,%,gpus,1,2\n"
                                         "throughput,gain,40,%,gpus,1,16\n"),
                    {run_at(1, 1000), run_at(2, 1500)});
  REQUIRE(it.comparison.matches.size() == 1);
  CHECK(it.comparison.matches[0].own.value == Approx(0.5));
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("values within a published bound or range have a difference of 0") {
  Publication publication = test::publication_of(
      "gpus,quantity,relation,value,unit\n2,throughput,>,900,image/"
      "s\n2,throughput,=,800..900,image/s\n"
      "2,throughput,<,500,image/s\n");
  const Compared it(publication, {run_at(2, 1000)});
  REQUIRE(it.comparison.matches.size() == 3);
  CHECK(difference(*it.comparison.matches[0].published, 1000) == 0);
  CHECK(verdict(it.comparison.matches[0]) == "agrees");
  CHECK(difference(*it.comparison.matches[1].published, 1000) == Approx(0.11).margin(0.001));
  CHECK(difference(*it.comparison.matches[2].published, 1000) == Approx(1));
  CHECK(verdict(it.comparison.matches[2]) == "higher");
}

TEST_CASE("a CPU run stands beside published cores, and is marked beside published GPUs") {
  analysis::RunRow run = run_at(2, 5);
  run.conditions["device"] = "cpu";
  const Compared it(test::publication_of("gpus,cores,throughput [image/s]\n2,,7\n,2,7\n3,,7\n"),
                    {run});
  REQUIRE(it.comparison.matches.size() == 2);
  CHECK(it.comparison.matches[0].published->axis("gpus") == "2");
  CHECK(it.comparison.matches[0].source == "CPU run");
  CHECK(it.comparison.matches[1].published->axis("cores") == "2");
  CHECK(it.comparison.matches[1].source == "run");
}

TEST_CASE("a GPU run is not compared with published cores") {
  const Compared it(test::publication_of("cores,throughput [image/s]\n2,7\n"), {run_at(2, 5)});
  CHECK(it.comparison.matches.empty());
  CHECK(it.comparison.unmatched.at(0).reason == "no run with cores 2");
  const Compared claim(
      test::publication_of("quantity,relation,along,from,to\nthroughput,rises,cores,1,2\n"),
      {run_at(1, 5), run_at(2, 9)});
  CHECK(claim.comparison.unmatched.at(0).reason == "no run on CPUs");
}

TEST_CASE(
    "missing axes of measured runs are matched and reported, and other axes prevent a match") {
  const Compared it(test::publication_of("gpus,loader,throughput [image/s]\n2,native,7\n"
                                         "4,native,9\n"),
                    {run_at(2, 5)});
  CHECK(it.comparison.matches.size() == 1);
  CHECK(it.comparison.unsaid == std::set<std::string>{"loader"});
  const Compared other(test::publication_of("gpus,message,throughput [image/s]\n2,big,7\n"),
                       {run_at(2, 5)});
  CHECK(other.comparison.matches.empty());
}

TEST_CASE("every value without a counterpart has a reason") {
  analysis::RunRow run = run_at(2, 5);
  run.conditions["model"] = "resnet50";
  const Compared it(test::publication_of("model,gpus,framework,quantity,value\n"
                                         "vgg16,2,ddp,step_time,7\n"
                                         "resnet50,2,horovod,step_time,7\n"
                                         "resnet50,4,ddp,step_time,7\n"
                                         "resnet50,2,ddp,io,7\n"
                                         "resnet50,2,ddp,oom_free,7\n"
                                         "resnet50,,ddp,step_time,7\n"),
                    {run});
  std::vector<std::string> reasons;
  for (const analysis::Unmatched& one : it.comparison.unmatched) reasons.push_back(one.reason);
  CHECK(reasons ==
        std::vector<std::string>{
            "no run with model vgg16",
            "no run with framework horovod among the runs with model resnet50",
            "no run with gpus 4 among the runs with model resnet50, framework ddp",
            "the runs recorded no shares of kernel time (training.profile = true records them)",
            "dlscale does not measure oom_free", "the publication states no number of workers"});
  CHECK(it.comparison.values == 6);
  CHECK(it.comparison.matched() == 0);
}

TEST_CASE("hardware and words are not counted as values") {
  const Compared it(test::publication_of("gpus,quantity,value,unit\n2,step_time,7,s\n"
                                         "2,peak,7,TFLOP/s\n2,gpu_model,V100,\n"),
                    {run_at(2, 5)});
  CHECK(it.comparison.values == 1);
  CHECK(it.comparison.matched() == 1);
  CHECK(it.comparison.descriptions == 2);
}

TEST_CASE("names of publications are translated") {
  Publication publication = test::publication_of(
      "model,framework,gpus,step_time [s]\nAutoencoder,PyTorch-DDP,2,7\nnet,ddp,2,7\n"
      "other,ddp,2,7\n");
  publication.settings["names.model.net"] = {"conv_autoencoder"};
  analysis::RunRow run = run_at(2, 5);
  run.conditions["model"] = "conv_autoencoder";
  const Compared it(publication, {run});
  CHECK(it.comparison.matches.size() == 2);
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("an axis of a model is matched by the last part of its name") {
  Publication publication =
      test::publication_of("backbone,hidden,trainable_parameters [1]\nvgg16,64,100\nvgg16,32,50\n");
  publication.settings["names.axes.hidden"] = {"classifier_hidden"};
  analysis::RunRow run = run_at(2, 5);
  run.point["models.frozen_backbone.backbone"] = "vgg16";
  run.point["models.frozen_backbone.classifier_hidden"] = "64";
  run.size.trainable_parameters = 101;
  const Compared it(publication, {run});
  REQUIRE(it.comparison.matches.size() == 1);
  CHECK(it.comparison.matches[0].own.value == 101);
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("shares of kernel time come from profiles, weighted by kernel time") {
  analysis::RunRow run = run_at(2, 5);
  run.profiles = {{.steps = 1, .kernel_s = 1, .communication = 0.2, .io = 0.1, .computation = 0.7},
                  {.steps = 1, .kernel_s = 3, .communication = 0.6, .io = 0.1, .computation = 0.3}};
  run.size.steps_per_epoch = 10;
  const Compared it(test::publication_of("gpus,epochs,allreduce [%],io [%],cudnn [%],"
                                         "data_loading_time [s]\n2,5,50,10,40,10\n"),
                    {run});
  REQUIRE(it.comparison.matches.size() == 4);
  CHECK(it.comparison.matches[0].own.value == Approx(0.5));
  CHECK(it.comparison.matches[1].own.value == Approx(0.1));
  CHECK(it.comparison.matches[2].own.value == Approx(0.4));
  CHECK(it.comparison.matches[3].own.value == Approx(0.1 * 4 / 2 * 10 * 5));
}

TEST_CASE("times of profiled runs are compared only if the point has no other runs") {
  const auto run_of = [](int gpus, double samples_per_s, bool profile) {
    analysis::RunRow run = run_at(gpus, samples_per_s);
    run.run_id += profile ? "-profiled" : "";
    run.point["profile"] = profile ? "true" : "false";
    if (profile) run.profiles = {{.steps = 1, .kernel_s = 1, .io = 0.1, .computation = 0.9}};
    return run;
  };
  const Compared it(test::publication_of("gpus,throughput [1/s],io [%]\n2,100,10\n4,100,10\n"),
                    {run_of(2, 100, false), run_of(2, 60, true), run_of(4, 110, true)});
  std::map<std::string, std::vector<double>> values;
  for (const analysis::Match& match : it.comparison.matches) {
    values[match.published->quantity].push_back(match.own.value);
  }
  REQUIRE(values["throughput"].size() == 2);
  CHECK(values["throughput"][0] == Approx(100));
  CHECK(values["throughput"][1] == Approx(110));
  CHECK(values["io"].size() == 2);
}

TEST_CASE("losses and accuracies are those of the first and of the last epoch") {
  analysis::RunRow run = run_at(2, 5);
  run.epochs = {{.epoch = 0, .train_loss = 2, .train_accuracy = 0.3},
                {.epoch = 1, .train_loss = 1, .train_accuracy = 0.6}};
  run.evals = {{.epoch = 0, .loss = 1.5, .wall_s = 4}, {.epoch = 1, .loss = 1.2, .wall_s = 6}};
  const Compared it(
      test::publication_of("gpus,quantity,value\n2,train_loss@first,2\n2,train_loss@last,1\n"
                           "2,train_accuracy@last,0.6\n2,val_loss@first,1.5\n2,val_time,5\n"
                           "2,val_loss@best,1\n"),
      {run});
  std::vector<double> values;
  for (const analysis::Match& match : it.comparison.matches) values.push_back(match.own.value);
  CHECK(values == std::vector<double>{2, 1, 0.6, 1.5, 5});
  CHECK(it.comparison.unmatched.size() == 1);
}

TEST_CASE("the best count and trends are checked on own runs") {
  const Compared it(test::publication_of("quantity,relation,along,from,to\n"
                                         "throughput,best,gpus,,4\n"
                                         "throughput,best,gpus,,2\n"
                                         "throughput,best,gpus,,16\n"
                                         "throughput,rises,gpus,1,2\n"
                                         "throughput,falls,gpus,1,4\n"
                                         "throughput,rises,gpus,8,16\n"),
                    {run_at(1, 1000), run_at(2, 1900), run_at(4, 1800)});
  const auto& matches = it.comparison.matches;
  REQUIRE(matches.size() == 4);
  CHECK(matches[0].own.value == 2);
  CHECK(verdict(matches[0]) == "disagrees");
  CHECK(verdict(matches[1]) == "agrees");
  CHECK(matches[2].own.value == Approx(1.9));
  CHECK(verdict(matches[2]) == "agrees");
  CHECK(verdict(matches[3]) == "disagrees");
  CHECK(it.comparison.unmatched.size() == 2);
}

TEST_CASE("statistics of two counts use the repeats at both counts") {
  std::vector<analysis::RunRow> runs;
  for (int i = 1; i <= 4; ++i) {
    runs.push_back(run_at(2, 100 + i, "ddp", i));
    runs.push_back(run_at(4, 400 + i, "ddp", i));
  }
  const Compared it(test::publication_of("gpus,p_value@mann-whitney [1],step_time_ratio@"
                                         "hodges-lehmann [1],cliffs_delta [1]\n2|4,0.03,2,1\n"),
                    runs);
  REQUIRE(it.comparison.matches.size() == 3);
  CHECK(it.comparison.matches[0].own.value == Approx(2.0 / 70));
  CHECK(it.comparison.matches[1].own.value == Approx(402.5 / 102.5 / 2).epsilon(0.02));
  CHECK(it.comparison.matches[2].own.value == 1);
}

TEST_CASE("predictions stand beside published values without runs") {
  Publication publication = test::publication_of(
      "framework,gpus,epochs,quantity,value,unit\nddp,4,,efficiency,0.9,1\n"
      "ddp,4,90,runtime,100,s\nddp,4,,allreduce,10,%\nddp,4,,cudnn,10,%\nddp,4,,io,10,%\n");
  publication.baseline_gpus = 1;
  analysis::Frame frame = frame_of({run_at(1, 100), run_at(4, 100)});
  for (analysis::RunRow& run : frame.runs) run.outcome = analysis::kNotStarted;
  for (const auto& [gpus, rate] : {std::pair(1, 100.0), std::pair(4, 320.0)}) {
    analysis::KeptPrediction kept;
    kept.said = {.gpus = gpus,
                 .samples_per_s = {rate, rate, rate},
                 .epoch_s = {2, 1, 3},
                 .efficiency = {rate / 100 / gpus, 0.7, 0.9},
                 .computation_s = 3,
                 .communication_s = 1,
                 .main_kernels_s = 2};
    kept.run_ids = {frame.runs[gpus == 1 ? 0 : 1].run_id};
    frame.predictions.push_back(kept);
  }
  const analysis::OwnResults own{predicted_points(frame), {}};
  const Comparison comparison = compare(publication, own);
  std::vector<double> values;
  for (const analysis::Match& match : comparison.matches) {
    CHECK(match.source == "prediction");
    values.push_back(match.own.value);
  }
  CHECK(values == std::vector<double>{0.8, 180, 0.25, 0.5});
  CHECK(comparison.matches[0].own.interval.low == Approx(0.7));
  CHECK(comparison.unmatched.at(0).reason == "predictions do not contain this quantity");
}

namespace {

/// Frame of a study on these GPU counts that is predicted and has no results.
analysis::Frame predicted_frame(const std::vector<contract::RunPrediction>& predictions) {
  std::vector<analysis::RunRow> runs;
  for (const contract::RunPrediction& said : predictions) runs.push_back(run_at(said.gpus, 100));
  analysis::Frame frame = frame_of(runs);
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    frame.runs[i].outcome = analysis::kNotStarted;
    frame.predictions.push_back({.said = predictions[i], .run_ids = {frame.runs[i].run_id}});
  }
  return frame;
}

contract::RunPrediction prediction_at(int gpus, double samples_per_s) {
  contract::RunPrediction said{.gpus = gpus};
  said.samples_per_s = {samples_per_s, samples_per_s / 2, samples_per_s};
  return said;
}

}  // namespace

TEST_CASE("predictions contain sizes, exposed communication and steps without loading") {
  Publication publication = test::publication_of(
      "gpus,quantity,value,unit\n,trainable_parameters,9,1\n4,transfer,9,values\n"
      "4,ring_transfer,9,B\n4,communication_time,9,s\n4,mean_compute,9,s\n4,mean_loading,9,s\n");
  publication.definitions["transfer"].formula = "samples / (batch * gpus) * parameters";
  contract::RunPrediction said = prediction_at(4, 100);
  said.step_s = {3, 2, 4};
  said.exposed_communication_s = 0.5;
  said.communication_s = 0.75;
  said.trainable_parameters = 10;
  said.train_samples = 2560;
  const analysis::Frame frame = predicted_frame({said});
  const Comparison comparison = compare(publication, {predicted_points(frame), {}});
  std::vector<double> values;
  for (const analysis::Match& match : comparison.matches) {
    CHECK(match.source == "prediction");
    values.push_back(match.own.value);
  }
  // A ring sends 2 (4 - 1) / 4 of 10 values of 4 bytes in each of 10 steps.
  CHECK(values == std::vector<double>{10, 100, 600, 0.5, 3});
  CHECK(comparison.predicted == 5);
  REQUIRE(comparison.unmatched.size() == 1);
  CHECK(
      comparison.unmatched[0].reason ==
      "the prediction contains no loading, because no calibration with measured loading was given");
}

TEST_CASE("reasons of claims name the missing points, or the point without a value") {
  const auto reasons = [](const Comparison& comparison) {
    std::vector<std::string> all;
    for (const analysis::Unmatched& one : comparison.unmatched) all.push_back(one.reason);
    return all;
  };
  const std::string head = "framework,quantity,relation,value,unit,along,from,to\n";
  std::vector<analysis::RunRow> runs{run_at(2, 90), run_at(4, 95, "hybrid")};
  const Compared measured(test::publication_of(head + "ddp,throughput,rises,,,gpus,1,4\n"
                                                      "ddp,throughput,rises,,,setup,a,b\n"
                                                      ",throughput,rises,,,framework,ddp,hybrid\n"
                                                      "ddp,throughput,rises,,,framework,ddp,torch\n"
                                                      "ddp,throughput,gain,40,%,gpus,2,8\n"),
                          runs);
  CHECK(reasons(measured.comparison) ==
        std::vector<std::string>{
            "only gpus 2 among the runs with framework ddp",
            "no run states setup among the runs with framework ddp",
            "the nearest runs with framework ddp and hybrid also differ in gpus (2 and 4)",
            "no run with framework torch", "no run with gpus 8 among the runs with framework ddp"});

  const Publication publication =
      test::publication_of(head + ",communication_time,falls,,,gpus,1,4\n");
  contract::RunPrediction alone = prediction_at(1, 100), pair = prediction_at(2, 150);
  pair.exposed_communication_s = 0.1;
  const analysis::Frame frame = predicted_frame({alone, pair});
  CHECK(reasons(compare(publication, {predicted_points(frame), {}})) ==
        std::vector<std::string>{
            "no communication_time at gpus 1: a single rank does not communicate"});
  analysis::OwnResults both = measured.own;
  both.points.erase(both.points.begin() + 1);
  for (analysis::OwnPoint& point : predicted_points(frame)) both.points.push_back(point);
  CHECK(reasons(compare(publication, both)) ==
        std::vector<std::string>{"runs: only gpus 2; predictions: no communication_time at gpus 1: "
                                 "a single rank does not communicate"});
}

TEST_CASE("claims are checked on predictions of all their points") {
  const Publication publication = test::publication_of(
      "quantity,relation,value,unit,along,from,to\nthroughput,best,,,gpus,,4\n"
      "throughput,rises,,,gpus,1,4\nthroughput,falls,,,gpus,1,2\nthroughput,gain,40,%,gpus,1,2\n"
      "throughput,gain,40,%,gpus,1,8\ncommunication_time,rises,,,gpus,1,4\n");
  const analysis::Frame frame =
      predicted_frame({prediction_at(1, 100), prediction_at(2, 150), prediction_at(4, 300)});
  const Comparison comparison = compare(publication, {predicted_points(frame), {}});
  const auto& matches = comparison.matches;
  REQUIRE(matches.size() == 4);
  CHECK(verdict(matches[0]) == "agrees");
  CHECK(matches[1].own.value == 3);
  CHECK(verdict(matches[1]) == "agrees");
  CHECK(verdict(matches[2]) == "disagrees");
  CHECK(matches[3].own.value == Approx(0.5));
  CHECK(matches[3].own.interval.kind == analysis::Interval::Kind::None);
  CHECK(comparison.unmatched.size() == 2);
}

TEST_CASE("predictions of inference, and of loaders without loading, answer no claim") {
  const Publication publication = test::publication_of(
      "quantity,relation,value,unit,along,from,to\nthroughput,rises,,,gpus,1,4\n"
      "throughput,gain,40,%,loader,native,dali_cpu\n");
  contract::RunPrediction forward = prediction_at(2, 900);
  forward.mode = "inference";
  analysis::Frame frame = predicted_frame({prediction_at(1, 100), forward, prediction_at(4, 300)});
  frame.axes.push_back({"loader", {"native", "dali_cpu"}});
  for (analysis::RunRow& run : frame.runs) run.point["loader"] = "native";
  frame.runs.push_back(frame.runs.front());
  frame.runs.back().run_id = "dali";
  frame.runs.back().point["loader"] = "dali_cpu";
  frame.predictions.push_back({.said = prediction_at(1, 100), .run_ids = {"dali"}});
  const Comparison none = compare(publication, {predicted_points(frame), {}});
  REQUIRE(none.matches.size() == 1);
  CHECK(none.matches[0].own.n == 2);
  CHECK(none.unmatched.at(0).reason == "the predictions contain no loading");
  for (analysis::KeptPrediction& kept : frame.predictions) kept.said.loading_s = 0.1;
  CHECK(compare(publication, {predicted_points(frame), {}}).matches.size() == 2);
}

TEST_CASE("a measured value replaces predicted values if measured values come first") {
  const Publication publication = test::publication_of(
      "gpus,quantity,relation,value,unit,along,from,to\n1,throughput,=,7,image/s,,,\n"
      "2,throughput,=,7,image/s,,,\n,throughput,rises,,,gpus,1,2\n");
  const analysis::Frame measured = frame_of({run_at(1, 90)});
  const analysis::Frame predicted = predicted_frame({prediction_at(1, 100), prediction_at(2, 150)});
  const auto curves = scaling_curves(measured);
  analysis::OwnResults own{own_points(curves), {}};
  for (analysis::OwnPoint& point : predicted_points(predicted)) {
    point.folder = 1;
    own.points.push_back(point);
  }
  CHECK(compare(publication, own).matches.size() == 4);
  own.measured_first = true;
  const Comparison comparison = compare(publication, own);
  REQUIRE(comparison.matches.size() == 3);
  CHECK(comparison.matches[0].source == "run");
  CHECK(comparison.matches[0].own.value == Approx(90));
  CHECK(comparison.matches[1].source == "prediction");
  CHECK(comparison.matches[2].source == "prediction");
  CHECK(comparison.predicted == 2);
}

TEST_CASE("points of different plan folders form no series") {
  const Publication publication = test::publication_of(
      "quantity,relation,value,unit,along,from,to\nthroughput,gain,40,%,gpus,1,2\n");
  const Compared it(publication, {run_at(1, 1000), run_at(2, 1500)});
  CHECK(it.comparison.matches.size() == 1);
  analysis::OwnResults own = it.own;
  own.points.back().folder = 1;
  CHECK(compare(publication, own).matches.empty());
}

TEST_CASE("transfer sizes of planned points follow from the sizes of a measured run") {
  Publication publication =
      test::publication_of("gpus,batch_per_gpu,transfer [values],step_time [s]\n4,64,7,7\n");
  publication.definitions["transfer"].formula = "samples / (batch * gpus) * parameters";
  analysis::RunRow run = run_at(1, 5), planned = run_at(4, 5);
  run.size = {.trainable_parameters = 10, .train_samples = 2560};
  planned.outcome = analysis::kNotStarted;
  const analysis::Frame frame = frame_of({run, planned});
  const Comparison known = compare(publication, {planned_points(frame), {}});
  REQUIRE(known.matches.size() == 1);
  CHECK(known.matches[0].source == "computed");
  CHECK(known.matches[0].own.value == 100);
  CHECK(known.unmatched.at(0).reason == "the run at this point is planned but has no result");
  const analysis::Frame alone = frame_of({planned});
  CHECK(compare(publication, {planned_points(alone), {}}).matches.empty());
}

TEST_CASE("a speed-up between two counts is compared at the second count only") {
  const Compared it(test::publication_of("quantity,value,along,from,to\nspeedup,2,gpus,2,4\n"),
                    {run_at(1, 100), run_at(2, 180), run_at(4, 360)});
  REQUIRE(it.comparison.matches.size() == 1);
  CHECK(it.comparison.matches[0].own.value == Approx(2));
}
