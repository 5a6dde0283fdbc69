// SPDX-License-Identifier: Apache-2.0
// Holds the style sheet of the HTML report.
#include "analysis/report/page/html_page.hpp"

namespace dlscale::analysis {

const char* const kPageStyle = R"css(
:root {
  color-scheme: light;
  --page: #ffffff; --ink: #1b1f24; --quiet: #4d5661; --rule: #d5dae0; --soft: #f3f5f8;
  --link: #0b5cad; --warn: #7a3b00; --warn-page: #fff4e5;
  --green: #1a7f37; --amber: #b35900; --red: #c62828;
  --c0: #0072b2; --c1: #c24e00; --c2: #00805d; --c3: #a8508a;
  --c4: #a86b00; --c5: #2b83b8; --c6: #666666; --c7: #8a7f00; --hatch: #ffffff;
}
/* CSS cannot share the colours of the dark theme between a media query and a selector. */
@media screen and (prefers-color-scheme: dark) {
  :root:not([data-theme="light"]) {
    color-scheme: dark;
    --page: #14171b; --ink: #e8ebef; --quiet: #aeb6c0; --rule: #3a414a; --soft: #1e2329;
    --link: #7cb8f5; --warn: #ffc98a; --warn-page: #33240f;
    --green: #4ac26b; --amber: #f0a840; --red: #ff8078;
    --c0: #4fb0e8; --c1: #ff8a47; --c2: #2cc79a; --c3: #e59cc4;
    --c4: #f0b840; --c5: #8fd0f5; --c6: #b0b0b0; --c7: #f0e442; --hatch: #14171b;
  }
}
@media screen {
  :root[data-theme="dark"] {
    color-scheme: dark;
    --page: #14171b; --ink: #e8ebef; --quiet: #aeb6c0; --rule: #3a414a; --soft: #1e2329;
    --link: #7cb8f5; --warn: #ffc98a; --warn-page: #33240f;
    --green: #4ac26b; --amber: #f0a840; --red: #ff8078;
    --c0: #4fb0e8; --c1: #ff8a47; --c2: #2cc79a; --c3: #e59cc4;
    --c4: #f0b840; --c5: #8fd0f5; --c6: #b0b0b0; --c7: #f0e442; --hatch: #14171b;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0 auto; max-width: 80rem; padding: 0.5rem 1.25rem 4rem;
  background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif;
}
header { display: flex; gap: 1rem; align-items: start; justify-content: space-between; }
h1 { font-size: 1.4rem; line-height: 1.2; margin: 0.25rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.75rem; border-bottom: 1px solid var(--rule); }
a { color: var(--link); }
nav ul {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; list-style: none; padding: 0;
  margin: 0.25rem 0;
}
button { font: inherit; color: inherit; background: none; border: 0; padding: 0; cursor: pointer; }
#theme {
  border: 1px solid var(--rule); border-radius: 0.4rem; padding: 0.3rem 0.7rem;
  background: var(--soft); white-space: nowrap;
}
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -999rem; }
.skip:focus { position: static; }
.warnings {
  background: var(--warn-page); color: var(--warn); border-left: 4px solid var(--warn);
  padding: 0.5rem 1rem; margin: 1rem 0;
}
.warnings h2 { margin: 0.25rem 0; border: 0; }
.warnings ul { margin: 0.25rem 0; padding-left: 1.25rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
/* First screen: the answers beside two figures, or above them on a narrow page. */
.first { display: grid; gap: 0.75rem 1.5rem; }
.first > * { min-width: 0; }
.first .study { margin: 0.25rem 0 0; color: var(--quiet); overflow-wrap: anywhere; }
.answers { display: block; margin: 0.5rem 0; font-size: 0.92rem; line-height: 1.38; }
.answers dt { color: var(--ink); font-weight: 600; margin-top: 0.5rem; }
.answers dd { margin: 0; overflow-wrap: anywhere; }
.answers .open { color: var(--quiet); }
.answers p { margin: 0.15rem 0; }
code { font: 0.92em ui-monospace, monospace; background: var(--soft); padding: 0 0.2em; }
pre { margin: 0.25rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
pre code { display: block; padding: 0.3rem 0.5rem; }
.lights {
  list-style: none; margin: 0.15rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem;
}
.lights .amber, .lights .red { width: 100%; order: -1; }
.lights li { padding-left: 1.3em; position: relative; }
.lights li::before {
  content: ""; position: absolute; left: 0; top: 0.38em; width: 0.8em; height: 0.8em;
  border-radius: 50%; background: var(--lamp);
}
.green { --lamp: var(--green); } .amber { --lamp: var(--amber); } .red { --lamp: var(--red); }
.lights .amber::before { border-radius: 0; transform: rotate(45deg) scale(0.9); }
.lights .red::before { border-radius: 0; }
.first figure { padding: 0.4rem 0.75rem; position: relative; }
.first figcaption { padding-right: 5.5rem; }
.first figcaption span { margin-right: -5.5rem; }
.first figcaption { overflow-wrap: anywhere; line-height: 1.4; }
.first figure + figure { margin-top: 0.5rem; }
/* The names of the axes and the entries share lines. The script hides the entries beyond the box. */
.first .legend-box { max-height: 6.15rem; overflow-y: auto; font-size: 0.8rem; margin: 0.25rem 0; }
.first .legend-box.tall { max-height: none; }
.first .legend, .first .legend-title { display: inline; margin: 0 0.75rem 0 0; font-size: inherit; }
.first .legend li { display: inline-block; margin-right: 1rem; }
.first .legend [hidden] { display: none; }
.first .legend-title::after { content: ":"; }
.more button { color: var(--link); text-decoration: underline; }
.first .plot svg { max-height: 14.75rem; }
.first details { position: absolute; top: 0; right: 0.75rem; background: var(--page); z-index: 1; }
.first details[open] { left: 0.75rem; border: 1px solid var(--rule); padding: 0.5rem; }
@media (min-width: 62rem) {
  .first { grid-template-columns: minmax(0, 1fr) minmax(0, 32rem); }
  .first.alone { grid-template-columns: minmax(0, 1fr); }
  .first .legend-box:not(.tall) { max-height: 3.75rem; }
}
/* Shade the edge of a box whose content continues beyond it: many screens hide scroll bars. */
.scroll, .plot {
  overflow-x: auto;
  background:
    linear-gradient(90deg, var(--page) 1rem, transparent) 0 0 / 2rem 100% no-repeat local,
    linear-gradient(270deg, var(--page) 1rem, transparent) 100% 0 / 2rem 100% no-repeat local,
    linear-gradient(90deg, var(--rule), transparent) 0 0 / 1rem 100% no-repeat scroll,
    linear-gradient(270deg, var(--rule), transparent) 100% 0 / 1rem 100% no-repeat scroll;
}
table {
  border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem;
  margin: 0.25rem 0;
}
th, td {
  padding: 0.3rem 0.45rem; border-bottom: 1px solid var(--rule); text-align: left;
  vertical-align: baseline; unicode-bidi: isolate;
}
thead th {
  border-top: 2px solid var(--ink); border-bottom: 1px solid var(--ink); vertical-align: bottom;
}
tbody tr:last-child > * { border-bottom: 2px solid var(--ink); }
tbody th { font-weight: 400; }
.n { text-align: right; }
tbody .n { white-space: nowrap; }
.unit { color: var(--quiet); font-weight: 400; white-space: nowrap; }
th button { font-weight: 600; text-align: inherit; }
th button::after { content: "\2195"; color: var(--quiet); padding-left: 0.3em; }
th[aria-sort="ascending"] button::after { content: "\2191"; color: var(--ink); }
th[aria-sort="descending"] button::after { content: "\2193"; color: var(--ink); }
.notes {
  color: var(--quiet); font-size: 0.85rem; margin: 0.25rem 0 1.5rem; padding-left: 1.25rem;
  overflow-wrap: anywhere;
}
.figures {
  display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 32rem), 1fr));
  gap: 1.5rem;
}
figure {
  margin: 0; min-width: 0; border: 1px solid var(--rule); border-radius: 0.4rem;
  padding: 0.75rem 1rem;
}
figcaption { font-weight: 600; }
figcaption span { display: block; font-weight: 400; color: var(--quiet); font-size: 0.85rem; }
.plot svg { display: block; width: 100%; height: auto; }
.plot svg.wide { width: auto; }
svg text { fill: var(--ink); font: 15px system-ui, sans-serif; }
svg .name { fill: var(--quiet); }
.grid { stroke: var(--rule); fill: none; }
.axis { stroke: var(--quiet); fill: none; }
.ideal { stroke: var(--ink); stroke-width: 1.5; stroke-dasharray: 6 4; fill: none; }
.line { stroke: var(--c); stroke-width: 2; fill: none; }
.dashed { stroke-dasharray: 3 3; }
.bar { stroke: var(--c); stroke-width: 1.2; fill: none; }
.band { fill: var(--c); fill-opacity: 0.18; }
.mark { fill: var(--c); stroke: var(--c); }
.hollow { fill: var(--page); stroke-width: 1.6; }
.part { fill: var(--c); }
.hatch { stroke: var(--hatch); stroke-width: 1.6; fill: none; }
.c0 { --c: var(--c0); } .c1 { --c: var(--c1); } .c2 { --c: var(--c2); } .c3 { --c: var(--c3); }
.c4 { --c: var(--c4); } .c5 { --c: var(--c5); } .c6 { --c: var(--c6); } .c7 { --c: var(--c7); }
.legend {
  list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; padding: 0;
  margin: 0.25rem 0; font-size: 0.85rem;
}
.legend li { overflow-wrap: anywhere; }
.legend svg { vertical-align: middle; margin-right: 0.4rem; }
.legend-title {
  margin: 0.25rem 0 0; color: var(--quiet); font-size: 0.85rem; overflow-wrap: anywhere;
}
details.numbers { font-size: 0.85rem; margin-top: 0.5rem; }
details.table { margin: 0.5rem 0; border: 1px solid var(--rule); border-radius: 0.4rem; }
details.table > summary { padding: 0.4rem 0.75rem; overflow-wrap: anywhere; }
details.table > :not(summary) { margin-left: 0.75rem; margin-right: 0.75rem; }
.filter { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: baseline; }
.filter input {
  font: inherit; font-size: 0.9rem; color: inherit; background: var(--soft); max-width: 100%;
  border: 1px solid var(--rule); border-radius: 0.3rem; padding: 0.2rem 0.5rem;
}
.filter output { color: var(--quiet); font-size: 0.85rem; }
.files { columns: 16rem; font-size: 0.9rem; }
#tip {
  position: fixed; pointer-events: none; z-index: 2; max-width: min(22rem, 90vw);
  background: var(--ink); color: var(--page); padding: 0.25rem 0.5rem; border-radius: 0.3rem;
  font-size: 0.85rem; overflow-wrap: anywhere;
}
.legend [role="button"] { cursor: pointer; }
.legend [aria-pressed="false"] { text-decoration: line-through; opacity: 0.55; }
.off { display: none; }
summary { cursor: pointer; color: var(--link); }
footer { margin-top: 3rem; color: var(--quiet); font-size: 0.85rem; }
@media print {
  :root {
    --ink: #000000; --quiet: #333333; --rule: #bbbbbb; --soft: #ffffff; --warn: #000000;
    --warn-page: #ffffff;
  }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, #theme, #tip, .skip, .numbers, .filter, th button::after { display: none; }
  figure, tr, .answers dd { break-inside: avoid; }
  h2, summary { break-after: avoid; }
  details.table { border: 0; }
  table { font-size: 8pt; }
  .first, .figures { display: block; }
  .first .legend-box:not(.tall) { max-height: none; }
  .first .legend li[hidden]:not(.more) { display: inline-block; }
  .first .legend .more { display: none; }
  .first .plot svg { max-height: 9cm; }
  figure { margin-bottom: 0.5rem; }
  .scroll, .plot { overflow: visible; background: none; }
}
)css";

}  // namespace dlscale::analysis
