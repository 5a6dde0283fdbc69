// SPDX-License-Identifier: Apache-2.0
// Holds the script of the HTML report.
#include "analysis/report/page/html_page.hpp"

namespace dlscale::analysis {

const char* const kPageScript = R"js(
'use strict';
(() => {
  const root = document.documentElement;
  const key = 'dlscale-theme';
  const remembered = () => { try { return localStorage.getItem(key); } catch { return null; } };
  const remember = (theme) => {
    try { localStorage.setItem(key, theme); } catch { /* the choice lasts for this page only */ }
  };
  const system = matchMedia('(prefers-color-scheme: dark)');
  const theme = () => root.dataset.theme || (system.matches ? 'dark' : 'light');
  const chosen = remembered();
  if (chosen === 'dark' || chosen === 'light') root.dataset.theme = chosen;

  const value = (row, column) => row.cells[column].dataset.v ?? row.cells[column].textContent;
  const compare = (a, b, numeric) => numeric
    ? Number(a) - Number(b)
    : a.localeCompare(b, undefined, {numeric: true});
  const sort = (head, column) => {
    const table = head.closest('table');
    const body = table.tBodies[0];
    const falling = head.getAttribute('aria-sort') === 'ascending';
    const numeric = head.classList.contains('n');
    const rows = [...body.rows].map((row) => [value(row, column), row]);
    rows.sort(([a], [b]) => {
      if (a === '' || b === '') return (a === '') - (b === '');
      return falling ? compare(b, a, numeric) : compare(a, b, numeric);
    });
    body.append(...rows.map(([, row]) => row));
    for (const other of table.tHead.rows[0].cells) other.setAttribute('aria-sort', 'none');
    head.setAttribute('aria-sort', falling ? 'descending' : 'ascending');
  };

  // Rows without all of the words in the filter are hidden.
  const filter = (table) => {
    const box = document.createElement('div');
    const input = document.createElement('input');
    const count = document.createElement('output');
    const rows = [...table.tBodies[0].rows];
    const show = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter((word) => word);
      let shown = 0;
      for (const row of rows) {
        const text = [...row.cells].map((cell) => cell.textContent).join(' ').toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
        shown += !row.hidden;
      }
      count.textContent = words.length ? `${shown} of ${rows.length} rows` : '';
    };
    input.type = 'search';
    input.placeholder = 'Filter rows';
    input.setAttribute('aria-label', 'Filter rows by words');
    input.addEventListener('input', show);
    box.className = 'filter';
    box.append(input, count);
    table.closest('.scroll').before(box);
  };

  // An entry of a legend hides and shows its part of the drawing.
  const toggles = (figure) => {
    const svg = figure.querySelector('.plot svg');
    const groups = [...svg.querySelectorAll(':scope > g')];
    [...figure.querySelectorAll('.legend li')].forEach((entry, i) => {
      const part = entry.querySelector('rect')?.getAttribute('fill');
      const drawn = part ? [...svg.querySelectorAll(':scope > rect')].filter(
                               (one) => one.getAttribute('fill') === part)
        : entry.querySelector('.ideal') ? [...svg.querySelectorAll('.ideal')] : [groups[i]];
      const turn = () => {
        const on = entry.getAttribute('aria-pressed') !== 'true';
        entry.setAttribute('aria-pressed', on);
        for (const one of drawn) one?.classList.toggle('off', !on);
      };
      entry.setAttribute('role', 'button');
      entry.setAttribute('aria-pressed', 'true');
      entry.tabIndex = 0;
      entry.addEventListener('click', turn);
      entry.addEventListener('keydown', (event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        turn();
      });
    });
  };

  // A legend on the first screen shows the entries that fit into its box, and the number of the
  // others in a button that shows all entries. The ideal line is always named.
  const shorten = (box) => {
    const list = box.querySelector('.legend');
    const entries = [...list.children];
    const last = entries.at(-1).querySelector('.ideal') ? entries.pop() : null;
    const more = document.createElement('li');
    const button = document.createElement('button');
    button.type = 'button';
    more.className = 'more';
    more.append(button);
    list.insertBefore(more, last);
    let shows_all = false;
    const is_full = () => box.scrollHeight > box.clientHeight + 1;
    const fit = () => {
      for (const entry of entries) entry.hidden = false;
      more.hidden = !shows_all;
      button.textContent = 'show fewer';
      box.classList.toggle('tall', shows_all);
      for (let shown = entries.length - 1; shown > 0 && is_full(); --shown) {
        entries[shown].hidden = true;
        more.hidden = false;
        button.textContent = `and ${entries.length - shown} more`;
      }
      box.classList.toggle('tall', shows_all || is_full());
    };
    button.addEventListener('click', () => {
      shows_all = !shows_all;
      fit();
    });
    addEventListener('resize', fit);
    fit();
  };

  // The value of the mark nearest to the pointer is shown beside the pointer.
  const reach = 40;
  const values = (plot, tip) => {
    const marks = [...plot.querySelectorAll('.mark, rect')].flatMap((mark) => {
      const title = mark.querySelector('title');
      if (!title) return [];
      const text = title.textContent;
      title.remove();
      return [{mark, text}];
    });
    const place = (mark) => {
      const box = mark.getBoundingClientRect();
      return {left: box.left, right: box.right, top: box.top, bottom: box.bottom};
    };
    const outside = (low, high, at) => Math.max(low - at, 0, at - high);
    const show = (event) => {
      let best = null, least = reach;
      for (const {mark, text} of marks) {
        if (mark.closest('.off')) continue;
        const box = place(mark);
        const far = Math.hypot(outside(box.left, box.right, event.clientX),
                               outside(box.top, box.bottom, event.clientY));
        if (far < least) [best, least] = [text, far];
      }
      tip.hidden = best === null;
      if (best === null) return;
      tip.textContent = best;
      const right = document.documentElement.clientWidth - tip.offsetWidth - 4;
      tip.style.left = `${Math.max(4, Math.min(event.clientX + 14, right))}px`;
      tip.style.top = `${Math.max(4, event.clientY - tip.offsetHeight - 10)}px`;
    };
    plot.addEventListener('pointermove', show);
    plot.addEventListener('pointerdown', show);
    plot.addEventListener('pointerleave', () => { tip.hidden = true; });
  };

  // A link to something in a folded table unfolds the table.
  const unfold = () => {
    let target = null;
    try { target = document.getElementById(decodeURIComponent(location.hash.slice(1))); } catch {
      return;
    }
    const inner = target?.querySelector(':scope > details');
    for (let box = inner ?? target; box; box = box.parentElement) {
      if (box.tagName === 'DETAILS') box.open = true;
    }
    if (inner) target.scrollIntoView();
  };

  document.addEventListener('DOMContentLoaded', () => {
    const button = document.getElementById('theme');
    const label = () => { button.textContent = theme() === 'dark' ? 'Light theme' : 'Dark theme'; };
    button.addEventListener('click', () => {
      root.dataset.theme = theme() === 'dark' ? 'light' : 'dark';
      remember(root.dataset.theme);
      label();
    });
    system.addEventListener('change', label);
    button.hidden = false;
    label();
    for (const head of document.querySelectorAll('th[aria-sort]')) {
      head.querySelector('button').addEventListener('click', () => sort(head, head.cellIndex));
    }
    for (const table of document.querySelectorAll('details.table table')) {
      if (table.tBodies[0].rows.length > 5) filter(table);
    }
    const tip = document.createElement('div');
    tip.id = 'tip';
    tip.hidden = true;
    document.body.append(tip);
    for (const figure of document.querySelectorAll('figure')) toggles(figure);
    for (const box of document.querySelectorAll('.first .legend-box')) shorten(box);
    for (const plot of document.querySelectorAll('.plot')) values(plot, tip);
    addEventListener('hashchange', unfold);
    unfold();
    let folded = [];
    addEventListener('beforeprint', () => {
      folded = [...document.querySelectorAll('details.table:not([open])')];
      for (const one of folded) one.open = true;
    });
    addEventListener('afterprint', () => {
      for (const one of folded) one.open = false;
    });
  });
})();
)js";

}  // namespace dlscale::analysis
