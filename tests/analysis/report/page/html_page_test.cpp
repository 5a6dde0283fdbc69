// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/page/html_page.hpp"

#include <catch2/catch.hpp>
#include <cmath>

#include "analysis/report/figures/svg_figure.hpp"
#include "analysis/report/html_text.hpp"
#include "tests/analysis/support/sample_page.hpp"

namespace dlscale::analysis {
namespace {

using Catch::Contains;

/// Text that would be harmful if the page contained it as markup.
const std::string kHostile =
    "</title></script><script>alert('1')</script>\" onload=\"x\x01\x7f&amp;";

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) {
    ++count;
  }
  return count;
}

}  // namespace

TEST_CASE("no character of a text becomes markup") {
  CHECK(html_text("<a href=\"x\">'&'</a>") ==
        "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  CHECK(html_text("one\ntwo\tthree\r") == "one two three ");
  CHECK(html_text("größe 模型 \xF0\x9F\x9A\x80") == "größe 模型 \xF0\x9F\x9A\x80");
}

TEST_CASE("control characters and invalid UTF-8 are replaced one by one") {
  const std::string r = "\xEF\xBF\xBD";
  CHECK(html_text(std::string("a\0b\x1b\x7f", 5)) == "a" + r + "b" + r + r);
  CHECK(html_text("\xC0\xAF") == r + r);                  // overlong encoding of "/"
  CHECK(html_text("\xED\xA0\x80") == r + r + r);          // surrogate
  CHECK(html_text("\xF4\x90\x80\x80") == r + r + r + r);  // above U+10FFFF
  CHECK(html_text("ab\xE6\xA8") == "ab" + r + r);         // truncated character
  CHECK(html_text("\xC2\x85") == r + r);                  // two-byte control character
}

TEST_CASE("a page shows the answers, then figures and tables, then warnings and facts") {
  StudyPage sample = test::sample_page();
  sample.answer = {"made-up: weak scaling.",
                   {{"How many GPUs?", "Use up to 4 with `a<b`.", true},
                    {"Faster?", "x", false},
                    {"Batch?", "y", true}},
                   {{TrustCheck::Light::Amber, "repetitions", "too few", "sample"},
                    {TrustCheck::Light::Green, "runs", "all used", ""}},
                   {{"to decide", {"dlscale plan", "dlscale submit --where 'gpus > 1'"}}}};
  sample.answer.setup = "Measured on A100.";
  const std::string answered = html_page(sample);
  CHECK_THAT(answered, Contains("<p class=\"study\">made-up: weak scaling. Measured on A100.</p>"));
  sample.answer.has_several_setups = true;
  CHECK_THAT(html_page(sample),
             Contains("Measured on A100. <a href=\"#conditions\">Conditions</a></p>"));
  CHECK(answered.find("How many GPUs?") < answered.find("figure-efficiency"));
  CHECK(answered.find("Faster?") < answered.find("Can I trust it?"));
  CHECK(answered.find("Can I trust it?") < answered.find("Batch?"));
  CHECK(answered.find("figure-efficiency") < answered.find("section id=\"table-sample\""));
  CHECK_THAT(answered, Contains("Use up to 4 with <code>a&lt;b</code>.") &&
                           Contains("<dd class=\"open\">x</dd>"));
  CHECK_THAT(answered, Contains("<li class=\"amber\"><a href=\"#table-sample\"") &&
                           Contains("repetitions: caution</a> – too few</li>"));
  CHECK_THAT(answered, Contains("<a href=\"#conditions\" title=\"all used\">runs: ok</a></li>"));
  CHECK_THAT(answered,
             Contains("<code>dlscale plan\ndlscale submit --where &#39;gpus &gt; 1&#39;</code>"));
  const std::string page = html_page(test::sample_page());
  CHECK(page.find("<h2 id=\"conditions\">") < page.find("one run per point"));
  CHECK(page.find("one run per point") < page.find("<dt>baseline</dt>"));
  CHECK_THAT(page, Contains("<dt>baseline</dt><dd>1 GPU</dd>") &&
                       Contains("Made up <span class=\"unit\">(3 rows)</span></summary>"));
  CHECK_THAT(page, Contains("data-v=\"0.01234\">12.3</td>") && Contains("data-v=\"\">–</td>"));
  CHECK_THAT(page, Contains("<th scope=\"row\">plain</th>"));
  CHECK_THAT(page, Contains("<svg viewBox=") && Contains("role=\"img\""));
  CHECK(page == html_page(test::sample_page()));
}

TEST_CASE("harmful texts anywhere in a page give no additional script or markup") {
  StudyPage page = test::sample_page();
  page.figures[0].figure.series[0].points[0].note = "8";
  const std::string clean = html_page(page);
  page.title = page.warnings[0] = page.facts[0].second = kHostile;
  Table& table = page.report.tables[0];
  table.notes[0] = kHostile + " of the table";
  table.title = table.columns[0].title = table.columns[1].unit = kHostile;
  table.rows[0][0] = kHostile;
  Figure& figure = page.figures[0].figure;
  figure.title = figure.subtitle = figure.legend_title = figure.x.title = figure.y.title = kHostile;
  figure.series[0].label = figure.ideal->label = figure.series[0].points[0].note = kHostile;
  const std::string text = html_page(page);
  for (const char* part : {"<script", "</script>", "</title>", " onload=\"", "<"}) {
    INFO(part);
    CHECK(times(text, part) == times(clean, part));
  }
  CHECK(text.find('\x01') == std::string::npos);
}

TEST_CASE("the policy of a page names its only script, and nothing is loaded") {
  const std::string page = html_page(test::sample_page());
  CHECK_THAT(page, Contains("default-src 'none'"));
  const std::string policy = page.substr(page.find("script-src"), 72);
  CHECK_THAT(policy, Catch::Matches("script-src 'sha256-[A-Za-z0-9+/]{43}=';[^]*"));
  for (const char* part : {"src=\"", "url(http", "@import", "<link", "http://", "https://"}) {
    INFO(part);
    CHECK(page.find(part) == std::string::npos);
  }
}

TEST_CASE("a page without content is valid") {
  const std::string page = html_page({.title = "empty"});
  CHECK_THAT(page, Contains("<h1>empty</h1>") && !Contains("<table") && !Contains("Warnings"));
  CHECK_THAT(page, Contains("</html>\n"));
}

TEST_CASE("a figure has a description in words") {
  const Figure figure = test::sample_page().figures[0].figure;
  CHECK(figure_in_words(figure) ==
        "baseline 1 GPU. efficiency over GPUs. ddp: 1 at 1 to 0.9 at 2.");
  CHECK_THAT(figure_in_words(test::sample_bars()), Contains("one for each of 2 points"));
}

TEST_CASE("figures have marks, error bars, bands and hatched parts") {
  Figure figure = test::sample_page().figures[0].figure;
  CHECK(times(svg_figure(figure, "f"), "class=\"mark\"") == 2);
  CHECK(times(svg_figure(figure, "f"), "class=\"bar\"") == 1);
  figure.band = true;
  CHECK(times(svg_figure(figure, "f"), "class=\"band\"") == 1);
  CHECK(times(svg_figure(figure, "f"), "class=\"bar\"") == 0);
  const std::string bars = svg_figure(test::sample_bars(), "f");
  CHECK(times(bars, "fill=\"url(#f-part0)\"") == 2);
  CHECK(times(bars, "class=\"hatch\"") == 1);
  CHECK_THAT(svg_legend(test::sample_bars(), "f"), Contains("forward") && !Contains("bubble"));
}

TEST_CASE("numbers that cannot be drawn are left out of a drawing") {
  Figure figure = test::sample_page().figures[0].figure;
  figure.y.log_base = 10;
  figure.series[0].points = {{1, 0, {}}, {2, std::nan(""), {}}, {4, 3, {}}, {8, 3, {}}};
  const std::string svg = svg_figure(figure, "f");
  CHECK(times(svg, "class=\"mark\"") == 2);
  CHECK_THAT(svg, !Contains("nan") && !Contains("inf"));
  figure.series[0].points.clear();
  CHECK_THAT(svg_figure(figure, "f"), Contains("</svg>") && !Contains("nan"));
}

TEST_CASE("titles of figures on a page omit the name of the study") {
  StudyPage page = test::sample_page();
  const std::string text = html_page(page);
  CHECK_THAT(text, Contains("<figcaption>Efficiency<span>baseline 1 GPU</span>") &&
                       Contains("aria-label=\"Efficiency of made-up\""));
  page.figures[0].figure.title = "Waiting for data in made-up";
  CHECK_THAT(html_page(page), Contains("<figcaption>Waiting for data<span>"));
  CHECK_THAT(svg_file(page.figures[0].figure, "f"), Contains("Waiting for data in made-up"));
}

}  // namespace dlscale::analysis
