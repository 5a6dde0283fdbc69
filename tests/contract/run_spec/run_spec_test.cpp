// SPDX-License-Identifier: Apache-2.0
#include "contract/run_spec/run_spec.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "contract/run_spec/run_id.hpp"
#include "contract/run_spec/vocabulary.hpp"
#include "tests/support/any_value.hpp"

using namespace dlscale;
using namespace dlscale::contract;

namespace {

void add_recipe(test::AnyValue& any, RunSpec& s) {
  const auto share = [&] { return static_cast<double>(any.whole(0, 99)) / 100; };
  if (any.flag()) s.model = "script:" + any.text();
  s.model_options.embedding = static_cast<int>(any.whole(0, 300));
  s.model_options.hidden = static_cast<int>(any.whole(0, 300));
  s.model_options.cell = any.one_of({"", "gru", "lstm"});
  s.dataset.first_classes = static_cast<int>(any.whole(0, 9));
  s.dataset.sha256 = any.text();
  s.dataset.random_crop = static_cast<int>(any.whole(0, 9));
  s.dataset.random_flip = any.flag();
  s.dataset.image_size = static_cast<int>(any.whole(1, 8192));
  s.dataset.resize = any.flag() ? 8192 : 0;
  if (any.flag()) s.dataset.crop_scale = {share() + 0.001, 1};
  if (any.flag()) s.dataset.crop_ratio = {share() + 0.001, 2};
  s.dataset.resample = any.one_of({"", "bilinear"});
  s.loader_options.threads = static_cast<int>(any.whole(0, 9));
  s.loader_options.prefetch = static_cast<int>(any.whole(0, 9));
  s.loader_options.on_broken = any.one_of({"", "skip"});
  s.loader_options.sample_order = any.one_of({"", "pytorch"});
  if (s.loader_options.sample_order.empty()) {
    s.loader_options.shuffle_window = static_cast<int>(any.whole(0, 99));
  }
  s.loader_options.hand_over = any.one_of({"", "uint8", "fp32"});
  s.dataset.folds = static_cast<int>(any.whole(2, 9));
  s.dataset.fold = static_cast<int>(any.whole(1, s.dataset.folds));
  s.dataset.vocabulary = static_cast<int>(any.whole(0, 1 << 20));
  s.dataset.min_count = static_cast<int>(any.whole(0, 9));
  s.dataset.max_length = static_cast<int>(any.whole(0, 99));
  s.weights = any.text();
  s.zero_init_gamma = any.flag();
  s.ema_decay = share();
  s.target = {.accuracy = share(), .loss = 0.5, .bleu = 100 * share(), .stop = any.flag()};
  s.plateau_epochs = static_cast<int>(any.whole(0, 9));
  s.lr.warmup_from = any.one_of({"", "zero"});
  s.lr.warmup_update = any.one_of({"", "epoch"});
  s.lr.warmup_steps = any.whole(0, 1 << 20);
  s.optimizer.decayed = any.one_of({"", "weights"});
  s.optimizer.adam = {share(), share(), any.positive()};
  s.optimizer.lars = {any.positive(), any.positive()};
}

RunSpec any_spec(unsigned seed) {
  test::AnyValue any(seed);
  RunSpec s;
  s.study = any.text();
  s.run_id = any.text();
  s.repetition = static_cast<int>(any.whole(1, 99));
  s.seed = static_cast<std::uint64_t>(any.whole(0, INT64_MAX)) * 2;
  s.mode = any.one_of({"", "inference"});
  s.point = any.table();
  s.framework = any.one_of(vocabulary("framework"));
  s.model = any.one_of(vocabulary("model"));
  s.loader = any.one_of(vocabulary("loader"));
  s.dataset = {any.one_of(vocabulary("dataset")), any.text(), any.whole(0, 1 << 30),
               any.whole(0, 99)};
  s.precision = any.one_of({"fp32", "fp64"});
  s.gpus = static_cast<int>(any.whole(1, 4096));
  s.batch_per_gpu = any.whole(1, 1024);
  s.accumulation_steps = static_cast<int>(any.whole(1, 8));
  s.global_batch = s.batch_per_gpu * s.gpus * s.accumulation_steps;
  if (s.batch_per_gpu > 1 && s.gpus * s.accumulation_steps > 1 && any.whole(0, 1) == 1) {
    s.uneven_batch = kSpreadBatch;
    --s.global_batch;
  }
  s.last_batch = any.one_of({"pad", "drop"});
  s.epochs = static_cast<int>(any.whole(1, 300));
  s.warmup_epochs = any.positive();
  s.lr = {any.positive(), any.positive(), any.one_of({"linear", "sqrt", "none"})};
  s.lr_schedule.kind = any.one_of(vocabulary("lr_schedule"));
  s.lr_schedule.milestones = any.list([&] { return any.positive(); });
  s.lr_schedule.gamma = any.positive();
  s.optimizer = {"sgd", any.positive() + 0.1, 0, any.flag(), any.positive()};
  if (s.framework == "ddp") {  // options of other frameworks are not written
    s.framework_options.bucket_cap_mb = any.positive();
    s.framework_options.find_unused_parameters = any.flag();
  }
  s.checkpoint = {static_cast<int>(any.whole(0, 9)), any.positive(),
                  static_cast<int>(any.whole(0, 9)), any.flag()};
  add_recipe(any, s);
  s.resources.walltime_s = any.number();
  s.resources.nodes = static_cast<int>(any.whole(1, 4000));
  return s;
}

std::string with(const std::string& key_and_value) {
  std::string text = to_json(RunSpec{.run_id = "r"});
  const std::string key = key_and_value.substr(0, key_and_value.find(':'));
  const std::size_t start = text.find(key + ":");
  const std::size_t end = text.find_first_of(",\n", start);
  return start == std::string::npos ? "{" + key_and_value + "," + text.substr(1)
                                    : text.replace(start, end - start, key_and_value);
}

}  // namespace

TEST_CASE("every run description survives being written and read") {
  for (unsigned seed = 0; seed < 500; ++seed) {
    const RunSpec spec = any_spec(seed);
    const std::string text = to_json(spec);
    REQUIRE(run_spec_from_json(text, "run.json") == spec);
    REQUIRE(to_json(run_spec_from_json(text, "run.json")) == text);
  }
}

TEST_CASE("keys of a newer version are ignored") {
  const RunSpec spec{.run_id = "r"};
  CHECK(run_spec_from_json(with("\"from_the_future\": {\"x\": [1]}"), "run.json") == spec);
}

TEST_CASE("an uneven batch must have a sample for each part, and its largest part") {
  const auto with_batch = [](int per_gpu, int global) {
    return RunSpec{.run_id = "r",
                   .gpus = 3,
                   .batch_per_gpu = per_gpu,
                   .global_batch = global,
                   .accumulation_steps = 2,
                   .uneven_batch = kSpreadBatch};
  };
  CHECK_NOTHROW(validate(with_batch(22, 128), "run.json"));
  CHECK_THROWS_WITH(validate(with_batch(21, 128), "run.json"),
                    "run.json: batch_per_gpu: is 21, but the largest part of 128 samples for 3 "
                    "GPUs and 2 accumulation steps has 22 samples");
  CHECK_THROWS_WITH(validate(with_batch(1, 5), "run.json"),
                    "run.json: global_batch: must be at least gpus x accumulation_steps, so that "
                    "every part has a sample");
  RunSpec other = with_batch(22, 128);
  other.uneven_batch = "floor";
  CHECK_THROWS_WITH(validate(other, "run.json"),
                    Catch::Contains("uneven_batch: unknown value \"floor\""));
}

TEST_CASE("an invalid run description is rejected with file, key and reason") {
  const auto [change, message] = GENERATE(table<std::string, std::string>({
      {"\"gpus\": \"4\"", "run.json: gpus: expected a whole number, found string"},
      {"\"gpus\": 0", "run.json: gpus: must be at least 1 (got 0)"},
      {"\"gpus\": 2.5", "run.json: gpus: expected a whole number, found number"},
      {"\"gpus\": 99999999999", "run.json: gpus: number out of range: 99999999999"},
      {"\"batch_per_gpu\": 0", "run.json: batch_per_gpu: must be at least 1 (got 0)"},
      {"\"global_batch\": 65",
       "run.json: global_batch: is 65, but batch_per_gpu x gpus x accumulation_steps is 64"},
      {"\"epochs\": -1", "run.json: epochs: must be at least 1 (got -1)"},
      {"\"warmup_epochs\": null", "run.json: warmup_epochs: must be at least 0 (got nan)"},
      {"\"label_smoothing\": 1.0", "run.json: label_smoothing: must be below 1"},
      {"\"last_batch\": \"keep\"",
       "run.json: last_batch: unknown value \"keep\" (known: pad, drop)"},
      {"\"schema_version\": 99",
       "run.json: schema_version: is 99, but this build supports at most 1; use a newer "
       "dlscale-train"},
      {"\"nesterov\": true",
       "run.json: optimizer.nesterov: needs momentum above 0 and dampening 0"},
  }));
  CHECK_THROWS_WITH(run_spec_from_json(with(change), "run.json"), message);
}

TEST_CASE("unused settings are left out of run.json so that run ids stay the same") {
  const std::string text = to_json(RunSpec{.run_id = "r"});
  for (const char* key :
       {"first_classes", "random_crop",   "random_flip",    "sha256",        "folds",
        "vocabulary",    "min_count",     "max_length",     "weights",       "zero_init_gamma",
        "ema_decay",     "target",        "plateau_epochs", "warmup_from",   "warmup_update",
        "decayed",       "adam",          "lars",           "model_options", "keep",
        "asynchronous",  "image_size",    "resize",         "crop_scale",    "crop_ratio",
        "resample",      "loader_options"}) {
    INFO(key);
    CHECK(text.find("\"" + std::string(key) + "\"") == std::string::npos);
  }
}

TEST_CASE("an invalid recipe is rejected with file, key and reason") {
  using Change = void (*)(RunSpec&);
  const auto [change, message] = GENERATE(table<Change, std::string>({
      {[](RunSpec& s) { s.dataset.resize = 256; }, "dataset.resize: needs dataset.image_size"},
      {[](RunSpec& s) { s.loader_options = {.shuffle_window = 9, .sample_order = "pytorch"}; },
       "loader_options.shuffle_window: cannot be combined with sample_order \"pytorch\"; leave out "
       "one of the two"},
      {[](RunSpec& s) { s.dataset.image_size = 8193; }, "dataset.image_size: must be at most 8192"},
      {[](RunSpec& s) {
         s.dataset.image_size = 224;
         s.dataset.resize = 223;
       },
       "dataset.resize: must be at least dataset.image_size, because images are cropped to "
       "dataset.image_size after resizing"},
      {[](RunSpec& s) {
         s.dataset.image_size = 224;
         s.dataset.crop_scale = {0.5, 0.1};
       },
       "dataset.crop_scale: must be two numbers above 0, the smaller one first"},
      {[](RunSpec& s) { s.loader_options.on_broken = "ignore"; },
       "loader_options.on_broken: unknown value \"ignore\" (known: , skip)"},
      {[](RunSpec& s) { s.dataset.folds = s.dataset.fold = 1; },
       "dataset.folds: must be at least 2"},
      {[](RunSpec& s) { s.dataset.folds = 3; },
       "dataset.fold: must be between 1 and dataset.folds"},
      {[](RunSpec& s) { s.dataset.fold = 1; }, "dataset.fold: needs dataset.folds"},
      {[](RunSpec& s) { s.optimizer.dampening = -1; },
       "optimizer.dampening: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.optimizer.dampening = 2; }, "optimizer.dampening: must be at most 1"},
      {[](RunSpec& s) { s.lr_schedule.power = -1; },
       "lr_schedule.power: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.dataset.vocabulary = -1; },
       "dataset.vocabulary: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.ema_decay = 1; }, "ema_decay: must be below 1"},
      {[](RunSpec& s) { s.target.accuracy = 98; }, "target.accuracy: must be at most 1"},
      {[](RunSpec& s) { s.target.stop = true; },
       "target.stop: needs target.accuracy, target.loss, target.bleu or target.train_loss"},
      {[](RunSpec& s) { s.target.train_loss = -1; },
       "target.train_loss: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.profile_epochs = 3; }, "profile_epochs: needs profile"},
      {[](RunSpec& s) {
         s.profile = true;
         s.profile_epochs = -1;
       },
       "profile_epochs: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.target.bleu = 101; }, "target.bleu: must be at most 100"},
      {[](RunSpec& s) { s.lr.warmup_steps = -1; }, "lr.warmup_steps: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.optimizer.adam.beta2 = 1; }, "optimizer.adam.beta2: must be below 1"},
      {[](RunSpec& s) { s.optimizer.lars.epsilon = -1; },
       "optimizer.lars.epsilon: must be at least 0 (got -1)"},
      {[](RunSpec& s) { s.lr.warmup_from = "base"; },
       "lr.warmup_from: unknown value \"base\" (known: , zero)"},
      {[](RunSpec& s) { s.model_options.cell = "rnn"; },
       "model_options.cell: unknown value \"rnn\" (known: , gru, lstm)"},
      {[](RunSpec& s) { s.checkpoint.keep = -1; }, "checkpoint.keep: must be at least 0 (got -1)"},
  }));
  RunSpec spec{.run_id = "r"};
  change(spec);
  CHECK_THROWS_WITH(run_spec_from_json(to_json(spec), "run.json"), "run.json: " + message);
}

TEST_CASE("an unknown model is reported with the nearest known model") {
  CHECK_THROWS_WITH(run_spec_from_json(with("\"model\": \"resnt50\""), "run.json"),
                    Catch::Matchers::StartsWith(
                        "run.json: model: unknown model \"resnt50\"; did you mean \"resnet50\"?"));
}

TEST_CASE("a missing required key is reported by its name") {
  CHECK_THROWS_WITH(run_spec_from_json("{}", "run.json"), "run.json: batch_per_gpu: missing");
}

TEST_CASE("run.json of an external trainer contains only settings that differ from defaults") {
  RunSpec spec;
  spec.run_id = "a-r1";
  CHECK(to_json(spec).find("\"window_steps\": 50") != std::string::npos);
  const std::string ours = make_run_id(spec);
  spec.trainer.command = "train";
  const std::string id = make_run_id(spec);
  CHECK(id != ours);
  for (const char* key : {"window_steps", "evaluate_every", "framework_options"}) {
    CHECK(to_json(spec).find(key) == std::string::npos);
    CHECK(to_json_line(spec).find(key) == std::string::npos);
  }
  CHECK(run_spec_from_json(to_json(spec), "run.json") == spec);
  CHECK(id == "ddp-mlp-constant-g1-b64-f2682d9b25-r1");
  spec.window_steps = 7;
  CHECK(to_json(spec).find("\"window_steps\": 7") != std::string::npos);
}

TEST_CASE("text that is not JSON is rejected with line and column") {
  CHECK_THROWS_WITH(run_spec_from_json("{\n  \"gpus\": ,\n}", "run.json"),
                    "run.json:2:11: not valid JSON");
  CHECK_THROWS_WITH(run_spec_from_json("{\"gpus\": 1", "run.json"),
                    "run.json:1:11: not valid JSON: the text ends too early");
  CHECK_THROWS_WITH(run_spec_from_json("[]", "run.json"),
                    "run.json: expected an object, found array");
  CHECK_THROWS_WITH(run_spec_from_json("", "run.json"),
                    "run.json:1:1: not valid JSON: the text ends too early");
}
