// SPDX-License-Identifier: Apache-2.0
#include "analysis/store/launch_outcome.hpp"

#include <catch2/catch.hpp>

#include "analysis/store/ingest.hpp"
#include "analysis/store/reading/frame_reader.hpp"
#include "tests/analysis/support/written_study.hpp"

namespace dlscale::analysis {

TEST_CASE("a run ends after its epochs, at a stopping target, or when it stops improving") {
  contract::RunSpec run;
  CHECK(stop_rule(run) == "epochs");
  run.target.accuracy = 0.94;
  CHECK(stop_rule(run) == "epochs");  // the run has a target but does not stop at the target
  run.target.stop = true;
  CHECK(stop_rule(run) == "accuracy >= 0.94 or epochs");
  run.target.loss = 0.2;
  CHECK(stop_rule(run) == "accuracy >= 0.94 and loss <= 0.2 or epochs");
  run.target = {.bleu = 20, .stop = true};
  CHECK(stop_rule(run) == "bleu >= 20 or epochs");
  run.target = {.train_loss = 0.5, .stop = true};
  CHECK(stop_rule(run) == "train_loss <= 0.5 or epochs");
  run.target = {};
  run.plateau_epochs = 3;
  CHECK(stop_rule(run) == "epochs or 3 without learning");
  run.steps = 500;
  CHECK(stop_rule(run) == "steps or 3 without learning");
  run.mode = "inference";
  CHECK(stop_rule(run) == "inference");
}

TEST_CASE("the stop rule of a third-party run is that of its axis") {
  contract::RunSpec run;
  run.trainer.command = "torchrun train.py";
  CHECK(stop_rule(run).empty());
  run.point["stop_rule"] = "100 steps";
  CHECK(stop_rule(run) == "100 steps");
}

TEST_CASE("the stop rule of a collected run is one of its conditions") {
  test::WrittenStudy study;
  study.add("ddp", 1);
  const std::string stopped = study.add("ddp", 2);
  const std::string file = study.folder.run(stopped).run_json().string();
  auto spec = contract::run_spec_from_json(base::read_file(file), file);
  spec.target = {.accuracy = 0.5, .stop = true};
  base::write_file_atomically(file, to_json(spec));
  ingest(study.folder);
  const Frame frame = read_frame(study.folder);
  CHECK(frame.runs.at(0).conditions.at("stop_rule") == "epochs");
  CHECK(frame.runs.at(1).conditions.at("stop_rule") == "accuracy >= 0.5 or epochs");
}

}  // namespace dlscale::analysis
