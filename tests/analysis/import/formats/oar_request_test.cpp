// SPDX-License-Identifier: Apache-2.0
#include "analysis/import/formats/oar_request.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace dlscale::analysis::oar;

namespace {

Shape shape_of(const std::string& text) {
  const Request request = parse_request(text);
  REQUIRE(request.size() == 1);
  return request[0];
}

const std::string kMoldable =
    "-l \"{type = 'default'}/host=2/gpu=4,walltime=2:0:0\" "
    "-l \"{type = 'default'}/host=1/gpu=8,walltime=4:0:0\" ";

}  // namespace

TEST_CASE("the levels of a shape multiply, and its groups add up") {
  const Shape plain = shape_of("-l \"{type = 'default'}/host=2/gpu=4,walltime=2:0:0\" ");
  CHECK(plain.nodes == 2);
  CHECK(plain.gpus == 8);
  CHECK(plain.walltime_s == 7200);
  CHECK(shape_of("-l \"/switch=2/host=3/gpu=2,walltime=1:0:0\"").gpus == 12);
  CHECK(shape_of("-l \"/switch=2/host=3/gpu=2\"").nodes == 6);
  const Shape groups = shape_of("-l \"{a='x'}/host=1/gpu=4+{a='y'}/host=2/gpu=1,walltime=0:30:0\"");
  CHECK(groups.gpus == 6);
  CHECK(groups.nodes == 3);
  CHECK_FALSE(shape_of("-l \"/core=1,walltime=0:0:15\"").gpus);
}

TEST_CASE("properties do not count as resources") {
  CHECK(shape_of("-l \"{gpu_model='A100' AND path='/gpu=9+/x,y' AND (host='}{')}/host=1/"
                 "{mem > 10}gpu=2,walltime=1:0:0\"")
            .gpus == 2);
}

TEST_CASE("shapes whose counts the cluster decides have an unknown GPU count") {
  CHECK_FALSE(shape_of("-l \"/host=ALL/gpu=2\"").gpus);
  CHECK_FALSE(shape_of("-l \"/host=2/gpu=BEST\"").gpus);
}

TEST_CASE("a moldable job has the shape that matches its nodes") {
  const Request request = parse_request(kMoldable);
  REQUIRE(request.size() == 2);
  CHECK(gpus_of(request, 2, 7200).gpus == 8);
  const Request different =
      parse_request("-l \"/host=2/gpu=4,walltime=2:0:0\" -l \"/host=1/gpu=4,walltime=4:0:0\"");
  CHECK(gpus_of(different, 2, 7200).gpus == 8);
  CHECK(gpus_of(different, 1, 14400).gpus == 4);
  CHECK(gpus_of(different, 1, 99999).gpus == 4);  // the walltime was changed while the job ran
}

TEST_CASE("the walltime distinguishes shapes with equal node counts") {
  const Request request =
      parse_request("-l \"/host=1/gpu=4,walltime=1:0:0\" -l \"/host=1/gpu=1,walltime=4:0:0\"");
  CHECK(gpus_of(request, 1, 14400).gpus == 1);
  CHECK(gpus_of(request, 1, 3600).gpus == 4);
}

TEST_CASE("a job of unknown shape has a GPU count only if all shapes agree") {
  CHECK(gpus_of(parse_request(kMoldable), 0, 0).gpus == 8);
  const Request request = parse_request("-l \"/host=1/gpu=4\" -l \"/host=1/gpu=2\"");
  const GpuCount unknown = gpus_of(request, 1, 3600);
  CHECK_FALSE(unknown.gpus);
  CHECK(unknown.problem.find("2 alternative shapes") != std::string::npos);
  CHECK(gpus_of({}, 1, 3600).problem.empty());
}
