// SPDX-License-Identifier: Apache-2.0
#include "trainer/bench/bench_loader.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/trainer/data/sample_files.hpp"

using namespace dlscale;
using trainer::LoaderBench;
using trainer::measure_loader;
using trainer::read_loader_bench;

TEST_CASE("settings on the command line describe a loader benchmark without a run") {
  const LoaderBench bench =
      read_loader_bench({"path=/data", "threads=3", "batch=8", "image_size=64", "--json",
                         "--seconds", "2", "--test"});
  CHECK(bench.spec.loader == "native");
  CHECK(bench.spec.dataset.path == "/data");
  CHECK(bench.spec.dataset.image_size == 64);
  CHECK(bench.spec.loader_options.threads == 3);
  CHECK(bench.spec.batch_per_gpu == 8);
  CHECK(bench.json);
  CHECK(bench.evaluation);
  CHECK(bench.seconds == 2);
}

TEST_CASE("the loader benchmark accepts settings of loaders, data sets and models") {
  const LoaderBench photos =
      read_loader_bench({"path=/data", "on_broken=skip", "shuffle_window=64", "loader=packed"});
  CHECK(photos.spec.loader_options.on_broken == "skip");
  CHECK(photos.spec.loader_options.shuffle_window == 64);
  const LoaderBench texts = read_loader_bench({"loader=text", "dataset=text_trec", "model=nbow",
                                               "path=/data", "image_size=0", "flip=false"});
  CHECK(texts.spec.model == "nbow");
  const std::vector<std::string> digits{"loader=memory", "dataset=mnist", "image_size=0",
                                        "flip=false",    "batch=64",      "path=/data",
                                        "cores=1"};
  CHECK(read_loader_bench(digits).spec.batch_per_gpu == 64);
}

TEST_CASE("a loader benchmark of a run loads the batches of one rank") {
  test::TempDir folder;
  contract::RunSpec spec;
  spec.run_id = "r";
  spec.gpus = 4;
  spec.batch_per_gpu = 5;
  spec.global_batch = 20;
  base::write_file_atomically(folder / "run.json", contract::to_json(spec));
  const LoaderBench bench = read_loader_bench({folder.path().string(), "loader=synthetic"});
  CHECK(bench.spec.gpus == 1);
  CHECK(bench.spec.global_batch == 5);
  CHECK(bench.spec.loader == "synthetic");
  CHECK(bench.spec.dataset.kind == "synthetic_digits");
}

TEST_CASE("invalid arguments of the loader benchmark are rejected") {
  CHECK_THROWS_WITH(read_loader_bench({"thread=3"}),
                    Catch::StartsWith("unknown key \"thread\"; did you mean \"threads\"?"));
  CHECK_THROWS_WITH(read_loader_bench({"path=x", "threads=two"}),
                    "threads: \"two\" is not a whole number");
  CHECK_THROWS_WITH(read_loader_bench({"flip=maybe"}),
                    "unknown flip \"maybe\" (known: true, false)");
  CHECK_THROWS_WITH(read_loader_bench({"flip=treu"}), Catch::Contains("did you mean \"true\"?"));
  CHECK_THROWS_WITH(read_loader_bench({"resample=foo"}),
                    "unknown resample \"foo\" (known: antialiased, bilinear)");
  CHECK_THROWS_WITH(read_loader_bench({"hand_over=uint"}),
                    Catch::Contains("did you mean \"uint8\"?"));
  CHECK_THROWS_WITH(read_loader_bench({"--seconds"}), "--seconds: a value is missing");
  CHECK_THROWS_WITH(read_loader_bench({"loader=nativ"}),
                    Catch::Contains("did you mean \"native\""));
  CHECK_THROWS_WITH(read_loader_bench({"loader=memory"}), Catch::Contains("dataset.image_size"));
  CHECK_THROWS_AS(read_loader_bench({"no-such.json"}), base::Error);
}

TEST_CASE("a loader benchmark reports throughput, core usage and bytes read") {
  test::TempDir folder;
  test::write_samples("image_folder", folder.path());
  LoaderBench bench = read_loader_bench({"path=" + folder.path().string(), "image_size=8"});
  bench.seconds = 0;
  bench.blocks = 2;
  CHECK_THAT(measure_loader(bench),
             Catch::StartsWith("loader native, dataset image_folder, batches of 32") &&
                 Catch::Contains("images/s per core in use"));
  bench.json = true;
  const std::string json = measure_loader(bench);
  for (const char* key : {"images_per_s", "images_per_s_per_core", "waiting", "cores", "busy"}) {
    CHECK_THAT(json, Catch::Contains("\"" + std::string(key) + "\":{\"median\":"));
  }
  CHECK_THAT(json, !Catch::Contains("\"kb_per_image\":{\"median\":0,"));
}

TEST_CASE("the median of an even number of blocks is the mean of the two middle blocks") {
  test::TempDir folder;
  test::write_samples("image_folder", folder.path());
  LoaderBench bench = read_loader_bench({"path=" + folder.path().string(), "image_size=8"});
  bench.seconds = 0;
  bench.blocks = 2;
  bench.json = true;
  const std::string json = measure_loader(bench);
  const std::string key = "\"images_per_s\":";
  double median = 0, least = 0, most = 0;
  REQUIRE(std::sscanf(json.c_str() + json.find(key) + key.size(),
                      "{\"median\":%lf,\"min\":%lf,\"max\":%lf}", &median, &least, &most) == 3);
  CHECK(median == Approx((least + most) / 2).epsilon(1e-5));
}

TEST_CASE("the loader benchmark reports the actual number of threads") {
  test::TempDir folder;
  test::write_samples("image_folder", folder.path());
  const auto json_of = [](const std::vector<std::string>& arguments) {
    LoaderBench bench = read_loader_bench(arguments);
    bench.seconds = 0;
    bench.blocks = 1;
    bench.json = true;
    return measure_loader(bench);
  };
  const std::string path = "path=" + folder.path().string();
  CHECK_THAT(json_of({path, "image_size=8", "threads=0", "cores=2"}),
             Catch::Contains("\"threads\":2,"));
  CHECK_THAT(json_of({path, "image_size=8", "threads=3"}), Catch::Contains("\"threads\":3,"));
  CHECK_THAT(json_of({"dataset=synthetic_digits", "loader=memory", "image_size=0", "flip=false"}),
             !Catch::Contains("threads"));
}
