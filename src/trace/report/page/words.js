'use strict';
// Numbers as a person reads them, and elements of the page.

function time_text(ns) {
  const sign = ns < 0 ? '-' : '', size = Math.abs(ns);
  for (const [unit, of] of [['s', 1e9], ['ms', 1e6], ['us', 1e3]])
    if (size >= of) return sign + Number((size / of).toPrecision(4)) + ' ' + unit;
  return sign + Math.round(size) + ' ns';
}

function bytes_text(bytes) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (bytes >= 1000 && i + 1 < units.length) { bytes /= 1000; ++i; }
  return Number(bytes.toPrecision(3)) + ' ' + units[i];
}

const count_text = number => number.toLocaleString('en-US');
const percent_text = share => (100 * share).toFixed(1) + ' %';

// element('p', {id: 'x'}, 'text', other) with children that are texts or elements.
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (name === 'style') made.style.cssText = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

const by_id = id => document.getElementById(id);
const colour_of = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();

// "0,4-7" as a test of ranks; everything passes where the text says nothing.
function rank_test(text) {
  const ranges = [...text.matchAll(/(\d+)(?:\s*-\s*(\d+))?/g)].map(([, from, to]) => [Number(from), Number(to ?? from)]);
  return rank => ranges.length === 0 || ranges.some(([from, to]) => from <= rank && rank <= to);
}

// A canvas as sharp as the screen; gives back its drawing context and its size in CSS pixels.
function prepare_canvas(canvas, height) {
  const scale = window.devicePixelRatio || 1, width = canvas.clientWidth || 800;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return [context, width, height];
}
