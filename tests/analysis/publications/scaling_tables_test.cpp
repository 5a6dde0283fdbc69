// SPDX-License-Identifier: Apache-2.0
// Tests that correct scaling tables have no findings, and that each wrong row causes one finding.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/analysis/publications/publication.hpp"

using namespace dlscale;
using analysis::Contradiction;
using analysis::Publication;

namespace {

constexpr int kTables = 1500;

/// Content and layout of a printed table.
struct Style {
  bool weak = false;       ///< true: the work per epoch grows with the GPUs
  bool has_batch = false;  ///< true: the table has a column of global batches
  bool has_throughput = false, has_time = false, has_speedup = false, has_efficiency = false;
  bool percent = false;
  bool names_baseline = false;  ///< true: the table has a column `from`
  bool from_one_gpu = false;    ///< true: speed-ups are multiplied by `first`
  int curves = 1;
  int first = 1;  ///< smallest number of GPUs
  int rows = 4;
  int decimals = 1;     ///< number of decimals of times, speed-ups and percentages
  int significant = 0;  ///< number of digits of throughputs; 0: use `decimals`
};

struct Point {
  int gpus = 1;
  double throughput = 0, time = 0, speedup = 1, efficiency = 1;
};

using Random = std::mt19937;

int between(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

double real(Random& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

Style any_style(Random& random) {
  Style style;
  const auto coin = [&] { return between(random, 0, 1) == 1; };
  style.weak = coin();
  style.has_batch = coin();
  style.has_throughput = coin();
  style.has_time = coin();
  style.has_speedup = coin();
  style.has_efficiency = coin() || !style.has_speedup;
  if (!style.has_throughput && !style.has_time) style.has_speedup = style.has_efficiency = true;
  style.percent = coin();
  style.names_baseline = coin();
  style.from_one_gpu = !style.names_baseline && between(random, 0, 3) == 0;
  style.curves = between(random, 1, 3);
  style.first = 1 << between(random, 0, 3);
  style.rows = between(random, 3, 6);
  style.decimals = between(random, 0, 3);
  style.significant = coin() ? between(random, 3, 5) : 0;
  return style;
}

std::vector<Point> any_curve(Random& random, const Style& style) {
  const double rate = std::pow(10.0, real(random, 1.5, 4.5));
  const double loss = real(random, 0.01, 0.4), work = rate * real(random, 50, 5000);
  std::vector<Point> points;
  for (int i = 0; i < style.rows; ++i) {
    Point point{style.first << i};
    point.efficiency = 1 / (1 + loss * i);
    point.speedup = point.efficiency * (1 << i);
    point.throughput = rate * point.speedup;
    point.time = work / point.throughput * (style.weak ? 1 << i : 1);
    if (style.from_one_gpu) point.speedup *= style.first;
    points.push_back(point);
  }
  return points;
}

int digits_before_point(double value) {
  return static_cast<int>(std::floor(std::log10(value))) + 1;
}

std::string rounded(double value, int significant) {
  const double place = std::pow(10.0, digits_before_point(value) - significant);
  const double whole = std::round(value / place) * place;
  return fmt::format("{:.{}f}", whole, std::max(0, significant - digits_before_point(whole)));
}

std::string header(const Style& style) {
  std::string text = "model,gpus";
  if (style.has_batch) text += ",global_batch";
  if (style.names_baseline) text += ",from";
  if (style.has_throughput) text += ",throughput [image/s]";
  if (style.has_time) text += ",epoch_time [s]";
  if (style.has_speedup) text += ",speedup [1]";
  if (style.has_efficiency) text += style.percent ? ",efficiency [%]" : ",efficiency [1]";
  return text + "\n";
}

std::string row(const Style& style, int curve, const Point& point) {
  std::string text = fmt::format("net{},{}", curve, point.gpus);
  const int batch = style.weak ? 32 * point.gpus : 1024;
  if (style.has_batch) text += fmt::format(",{}", batch);
  if (style.names_baseline) text += fmt::format(",{}", style.first);
  if (style.has_throughput) {
    text += style.significant > 0 ? "," + rounded(point.throughput, style.significant)
                                  : fmt::format(",{:.{}f}", point.throughput, style.decimals);
  }
  if (style.has_time) text += fmt::format(",{:.{}f}", point.time, style.decimals + 1);
  if (style.has_speedup) text += fmt::format(",{:.{}f}", point.speedup, style.decimals);
  if (style.has_efficiency && style.percent) {
    text += fmt::format(",{:.{}f}", 100 * point.efficiency, style.decimals);
  } else if (style.has_efficiency) {
    text += fmt::format(",{:.{}f}", point.efficiency, style.decimals + 1);
  }
  return text + "\n";
}

std::string table_of(const Style& style, const std::vector<std::vector<Point>>& curves) {
  std::string text = header(style);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    for (const Point& point : curves[i]) text += row(style, static_cast<int>(i), point);
  }
  return text;
}

std::vector<Contradiction> found_in(const std::string& table, const std::string& work) {
  Publication publication = test::publication_of(table);
  publication.work = work;
  return find_contradictions(publication);
}

std::string told(const std::vector<Contradiction>& found) {
  std::string text;
  for (const auto& [rule, finding] : found) {
    text += fmt::format("{}: {} {}\n", rule->name, finding.values, finding.meaning);
  }
  return text;
}

bool names_line(const std::vector<Contradiction>& found, int line) {
  const std::string place = fmt::format("table.csv:{}", line);
  return std::any_of(found.begin(), found.end(), [&](const Contradiction& one) {
    const std::size_t at = one.finding.where.find(place);
    const char next = at == std::string::npos || at + place.size() >= one.finding.where.size()
                          ? ' '
                          : one.finding.where[at + place.size()];
    return at != std::string::npos && (next < '0' || next > '9');
  });
}

}  // namespace

TEST_CASE("correct scaling tables have no findings, whatever their columns and rounding") {
  Random random(20);
  for (int i = 0; i < kTables; ++i) {
    const Style style = any_style(random);
    std::vector<std::vector<Point>> curves;
    for (int curve = 0; curve < style.curves; ++curve) curves.push_back(any_curve(random, style));
    const std::string table = table_of(style, curves);
    const std::string work = i % 3 == 0 ? "" : style.weak ? "per_gpu" : "fixed";
    const auto found = found_in(table, work);
    INFO(table << told(found));
    REQUIRE(found.empty());
  }
}

TEST_CASE("every row with a wrong speed-up or efficiency is found") {
  Random random(21);
  for (int i = 0; i < kTables; ++i) {
    Style style = any_style(random);
    style.decimals = std::max(style.decimals, 2);
    std::vector<std::vector<Point>> curves;
    for (int curve = 0; curve < style.curves; ++curve) curves.push_back(any_curve(random, style));
    std::vector<int> wrong;
    for (std::size_t curve = 0; curve < curves.size(); ++curve) {
      for (std::size_t k = 1; k < curves[curve].size(); ++k) {
        if (between(random, 0, 2) > 0) continue;
        Point& point = curves[curve][k];
        const double factor =
            between(random, 0, 1) == 1 ? real(random, 1.15, 2) : real(random, 0.5, 0.85);
        const bool speedup =
            style.has_speedup && (!style.has_efficiency || between(random, 0, 1) == 1);
        (speedup ? point.speedup : point.efficiency) *= factor;
        wrong.push_back(static_cast<int>(4 + curve * curves[curve].size() + k));
      }
    }
    const std::string table = table_of(style, curves);
    const auto found = found_in(table, style.weak ? "per_gpu" : "fixed");
    for (const int line : wrong) {
      INFO(table << told(found) << "line " << line);
      REQUIRE(names_line(found, line));
    }
  }
}

TEST_CASE("a common table is checked in all of its relations") {
  const auto rules = [](const std::string& table) {
    std::string names;
    for (const auto& [rule, finding] : found_in(table, "")) names += std::string(rule->name) + " ";
    return names;
  };
  CHECK(rules("gpus,throughput [image/s],speedup [1]\n1,100,1\n2,150,2.4\n4,300,3.0\n") ==
        "claimed_ratio above_ideal ");
  CHECK(rules("gpus,throughput [image/s],efficiency [%]\n1,100,100\n2,150,95\n4,300,75\n") ==
        "efficiency_and_times ");
  CHECK(rules("gpus,epoch_time [s],speedup [1]\n1,100,1.0\n2,60,1.9\n4,40,2.5\n") ==
        "claimed_ratio ");
  CHECK(rules("gpus,speedup [1],efficiency [%]\n1,1.0,100\n2,1.9,75\n4,3.6,90\n") ==
        "speedup_and_efficiency ");
  CHECK(rules("nodes,throughput [image/s],speedup [1]\n1,100,1.0\n2,180,1.8\n4,300,3.6\n") ==
        "claimed_ratio ");
  CHECK(rules("gpus,throughput_per_gpu [image/s],efficiency [%]\n1,100,100\n2,95,95\n4,90,80\n") ==
        "efficiency_and_times ");
}

TEST_CASE("rows of two precisions at one count are not a contradiction") {
  CHECK(found_in("precision,GPUs,Throughput [img/s],Speedup\nfp32,8,2900,1.0\namp,8,7500,2.6\n"
                 "fp32,16,5700,1.97\namp,16,14000,4.83\n",
                 "")
            .empty());
  CHECK(found_in("link,gpus,throughput [img/s]\nnvlink,8,2900\npcie,8,1500\n", "").empty());
  CHECK(found_in("link,gpus,throughput [img/s]\nnvlink,8,2900\nnvlink,8,1500\n", "").size() == 1);
}

TEST_CASE("times count as strong scaling unless the table is weak, as the message states") {
  const std::string table = "gpus,epoch_time [min],speedup [1]\n1,100,1\n2,80,1.9\n";
  const auto strong = found_in(table, "");
  REQUIRE(strong.size() == 1);
  CHECK_THAT(strong[0].finding.meaning,
             Catch::StartsWith("From 1 to 2, the epoch_time gives a speed-up of 1.25.") &&
                 Catch::EndsWith("(strong scaling)."));
  const auto weak = found_in(table, "per_gpu");
  REQUIRE(weak.size() == 1);
  CHECK_THAT(weak[0].finding.meaning,
             Catch::StartsWith("From 1 to 2, the epoch_time gives a speed-up of 2.5.") &&
                 Catch::EndsWith("(weak scaling)."));
  CHECK(found_in("gpus,epoch_time [min],speedup [1]\n1,100,1\n2,105,1.9\n", "").empty());
  const auto staying = found_in("gpus,epoch_time [min],efficiency [%]\n1,100,100\n2,104,90\n", "");
  REQUIRE(staying.size() == 1);
  CHECK(staying[0].finding.meaning.find("weak scaling") != std::string::npos);
}

TEST_CASE("a throughput per GPU that is presented as a total is reported as such") {
  const auto found = found_in("gpus,throughput [image/s],efficiency [%]\n1,100,100\n2,95,95\n", "");
  REQUIRE(found.size() == 1);
  CHECK(found[0].finding.meaning.find("throughput of one GPU") != std::string::npos);
}

TEST_CASE("a baseline that is missing from the table is possible") {
  CHECK(found_in("gpus,throughput [image/s],speedup [1],efficiency [%]\n"
                 "2,190,1.9,95\n4,370,3.7,92.5\n8,720,7.2,90\n",
                 "")
            .empty());
  CHECK(found_in("gpus,throughput [image/s],speedup [1]\n1,100,12.5\n2,190,23.8\n4,370,46.3\n", "")
            .empty());
  CHECK_FALSE(
      found_in("gpus,throughput [image/s],speedup [1]\n1,100,12.5\n2,190,30\n4,370,46.3\n", "")
          .empty());
}

TEST_CASE("curves of several devices in one table are separate") {
  CHECK(found_in("device,gpus,throughput [image/s],speedup [1]\n"
                 "V100,1,100,1.0\nV100,2,190,1.9\nA100,1,250,1.0\nA100,2,480,1.92\n",
                 "")
            .empty());
}

TEST_CASE("a superlinear curve with consistent values is reported once per row") {
  const auto found = found_in(
      "gpus,throughput [image/s],speedup [1],efficiency [%]\n1,100,1.0,100\n2,220,2.2,110\n", "");
  REQUIRE(found.size() == 1);
  CHECK(std::string(found[0].rule->name) == "above_ideal");
}

TEST_CASE("only counts below the baseline may exceed the ideal") {
  CHECK(found_in("gpus,speedup [1],efficiency [%]\n1,0.30,120\n2,0.55,110\n4,1.00,100\n8,1.90,95\n",
                 "")
            .empty());
  CHECK(found_in("gpus,efficiency [%]\n8,120\n", "").size() == 1);
}

TEST_CASE("percentages of different wholes are not shares that add up") {
  CHECK(found_in("gpus,efficiency [%],accuracy [%]\n1,100,76.1\n2,95,76.0\n", "").empty());
}

TEST_CASE("equal derived values of two models are not a copied row") {
  CHECK(found_in("model,gpus,speedup [1],efficiency [%]\na,1,1.00,100.0\na,2,1.90,95.0\n"
                 "b,1,1.00,100.0\nb,2,1.90,95.0\n",
                 "")
            .empty());
}
