// What each rank did over time: shares of columns from afar, single calls from nearby.
//
// A row is a rank, or several neighbours where there are many. The view is a stretch of time and those rows that the
// filter lets through.

const region_colour = '#f0e442';  // yellow
const light_on = ['compute', 'setup'];  // activities on whose colours letters are light
const label_width = 76, axis_height = 20, shortest_ns = 20;

function unpack(text) {
  const packed = atob(text), bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; ++i) bytes[i] = packed.charCodeAt(i);
  return bytes;
}

class Timeline {
  constructor(data) {
    this.data = data;
    this.cells = unpack(data.timeline.cells);
    this.colours = data.timeline.activities.map(colour_of);
    this.canvas = by_id('timeline-canvas');
    this.view = {from: 0, to: Math.max(data.duration, 1)};
    this.call_filter = '';
    this.calls = this.calls_by_row();
    this.choose_ranks('');
    this.connect();
    this.draw();
  }

  row_of(rank) { return Math.floor(rank / this.data.timeline.ranks_per_row); }

  // The outer call before those within it, each with its depth.
  calls_by_row() {
    const rows = new Map();
    for (const [rank, thread, name, begin, ns, peer, bytes] of this.data.calls) {
      const call = {rank, thread, name: this.data.names[name], activity: this.data.activity_of[name], begin, end: begin + ns, peer, bytes, depth: 0};
      const row = this.row_of(rank);
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row).push(call);
    }
    for (const calls of rows.values()) {
      calls.sort((a, b) => a.begin - b.begin || b.end - a.end);
      const open = new Map();
      for (const call of calls) {
        const key = call.rank + ' ' + call.thread;
        const around = (open.get(key) || []).filter(other => other.end >= call.end);
        call.depth = around.length;
        open.set(key, [...around, call]);
      }
    }
    return rows;
  }

  choose_ranks(text) {
    const passes = rank_test(text), per_row = this.data.timeline.ranks_per_row;
    this.rows = [];
    for (let row = 0; row < this.data.timeline.rows; ++row)
      for (let rank = row * per_row; rank < Math.min((row + 1) * per_row, this.data.ranks); ++rank)
        if (passes(rank)) { this.rows.push(row); break; }
    this.place_of = new Map(this.rows.map((row, i) => [row, i]));
  }

  // ---- the view ----

  show(from, to) {
    const whole = Math.max(this.data.duration, 1);
    const length = Math.min(Math.max(to - from, shortest_ns), whole);
    this.view.from = Math.min(Math.max(from, 0), whole - length);
    this.view.to = this.view.from + length;
    this.draw();
  }
  // factor < 1 goes nearer; `at` stays where it is.
  zoom(factor, at) {
    const {from, to} = this.view, middle = at ?? (from + to) / 2;
    this.show(middle - (middle - from) * factor, middle + (to - middle) * factor);
  }
  move(share) {
    const step = (this.view.to - this.view.from) * share;
    this.show(this.view.from + step, this.view.to + step);
  }
  x_of(ns) { return label_width + (ns - this.view.from) / (this.view.to - this.view.from) * (this.width - label_width); }
  ns_at(x) { return this.view.from + (x - label_width) / (this.width - label_width) * (this.view.to - this.view.from); }

  connect() {
    const canvas = this.canvas;
    let dragged = null;
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.ns_at(event.offsetX));
    }, {passive: false});
    canvas.addEventListener('pointerdown', event => { dragged = {x: event.offsetX, ...this.view}; });
    window.addEventListener('pointerup', () => { dragged = null; });
    canvas.addEventListener('pointermove', event => {
      if (dragged === null) return this.tell(event.offsetX, event.offsetY);
      const ns = (dragged.x - event.offsetX) / (this.width - label_width) * (dragged.to - dragged.from);
      this.show(dragged.from + ns, dragged.to + ns);
    });
    canvas.addEventListener('dblclick', event => this.zoom(0.25, this.ns_at(event.offsetX)));
    canvas.addEventListener('keydown', event => {
      const actions = {'+': () => this.zoom(0.5), '=': () => this.zoom(0.5), '-': () => this.zoom(2), '0': () => this.show(0, Infinity),
                       ArrowLeft: () => this.move(-0.25), ArrowRight: () => this.move(0.25)};
      if (event.key in actions) { event.preventDefault(); actions[event.key](); }
    });
    by_id('zoom-in').onclick = () => this.zoom(0.5);
    by_id('zoom-out').onclick = () => this.zoom(2);
    by_id('zoom-all').onclick = () => this.show(0, this.data.duration);
    by_id('go-left').onclick = () => this.move(-0.25);
    by_id('go-right').onclick = () => this.move(0.25);
    by_id('rank-filter').oninput = event => { this.choose_ranks(event.target.value); this.draw(); };
    by_id('call-filter').oninput = event => { this.call_filter = event.target.value.toLowerCase(); this.draw(); };
    by_id('show-waits').onchange = by_id('show-path').onchange = () => this.draw();
    window.addEventListener('resize', () => this.draw());
  }

  // ---- the picture ----

  draw() {
    const rows = Math.max(this.rows.length, 1);
    this.row_height = Math.min(Math.max(Math.floor(480 / rows), 3), 30);
    [this.context, this.width, this.height] = prepare_canvas(this.canvas, rows * this.row_height + axis_height);
    this.drawn_calls = 0;
    this.rows.forEach((row, place) => { this.draw_shares(row, place); this.draw_calls(row, place); });
    if (by_id('show-path').checked) this.draw_path();
    if (by_id('show-waits').checked) this.draw_waits();
    this.draw_frame();
    by_id('timeline-range').textContent =
        `${time_text(this.view.from)} to ${time_text(this.view.to)} (${time_text(this.view.to - this.view.from)}), ${this.rows.length} rows, ${this.drawn_calls} single calls.`;
  }

  draw_shares(row, place) {
    const {bins, activities} = this.data.timeline, bin_ns = this.data.duration / bins, kinds = activities.length;
    const top = place * this.row_height, high = this.row_height - 1, right = this.width;
    this.context.globalAlpha = this.call_filter === '' ? 0.85 : 0.25;
    const first = Math.max(Math.floor(this.view.from / bin_ns), 0), last = Math.min(Math.ceil(this.view.to / bin_ns), bins);
    const step = Math.max(1, Math.floor((last - first) / (right - label_width)));  // bins of a column
    for (let bin = first; bin < last; bin += step) {
      const x = Math.max(this.x_of(bin * bin_ns), label_width), end = Math.min(this.x_of((bin + step) * bin_ns), right);
      const sums = new Array(kinds).fill(0);
      for (let i = bin; i < Math.min(bin + step, bins); ++i)
        for (let kind = 0; kind < kinds; ++kind) sums[kind] += this.cells[(row * bins + i) * kinds + kind];
      const all = sums.reduce((a, b) => a + b, 0);
      let y = top;
      for (let kind = 0; all > 0 && kind < kinds; ++kind) {
        const part = sums[kind] / all * high;
        this.context.fillStyle = this.colours[kind];
        if (part > 0) this.context.fillRect(x, y, end - x + 0.5, part);
        y += part;
      }
    }
    this.context.globalAlpha = 1;
  }

  draw_calls(row, place) {
    const top = place * this.row_height, context = this.context;
    for (const call of this.calls.get(row) || []) {
      if (call.begin > this.view.to) break;
      if (call.end < this.view.from) continue;
      const x = Math.max(this.x_of(call.begin), label_width), width = Math.min(this.x_of(call.end), this.width) - x;
      if (width < 2 || this.row_height < 6) continue;
      if (this.call_filter !== '' && !call.name.toLowerCase().includes(this.call_filter)) continue;
      const inset = Math.min(call.depth * 4 + (call.thread > 0 ? this.row_height / 2 : 0), this.row_height - 4);
      context.fillStyle = call.activity === '' ? region_colour : colour_of(call.activity);
      context.fillRect(x, top + inset, width, this.row_height - 1 - inset);
      context.strokeStyle = '#fff';
      context.lineWidth = 0.5;
      context.strokeRect(x, top + inset, width, this.row_height - 1 - inset);
      ++this.drawn_calls;
      if (width > 40 && this.row_height - inset >= 12)
        this.label(call, x + 3, top + this.row_height - 5, width - 6);
    }
  }

  label(call, x, y, width) {
    const context = this.context;
    context.save();
    context.beginPath();
    context.rect(x, y - 14, width, 18);
    context.clip();
    context.fillStyle = light_on.includes(call.activity) ? '#fff' : '#000';
    context.font = '11px system-ui, sans-serif';
    context.fillText(call.name, x, y);
    context.restore();
  }

  middle_of(rank) {
    const place = this.place_of.get(this.row_of(rank));
    return place === undefined ? null : (place + 0.5) * this.row_height;
  }

  draw_path() {
    const context = this.context;
    context.strokeStyle = '#000';
    context.lineWidth = Math.min(3, this.row_height / 3);
    context.beginPath();
    let before = null;
    for (const [rank, begin, end] of this.data.path.pieces) {
      const y = this.middle_of(rank);
      if (y === null || end < this.view.from || begin > this.view.to) { before = null; continue; }
      const from = Math.max(this.x_of(begin), label_width), to = Math.min(this.x_of(end), this.width);
      before === null ? context.moveTo(from, y) : context.lineTo(from, y);
      context.lineTo(to, y);
      before = y;
    }
    context.stroke();
  }

  // Of many, the longest in view.
  draw_waits() {
    const context = this.context;
    context.strokeStyle = context.fillStyle = '#7a0000';
    context.lineWidth = 1;
    let drawn = 0;
    for (const [rank, from, begin, end, from_ns] of this.data.waits) {
      const y = this.middle_of(rank), origin = this.middle_of(from);
      if (y === null || origin === null || end < this.view.from || from_ns > this.view.to) continue;
      const x = this.x_of(end), start = this.x_of(from_ns);
      if (this.x_of(end) - this.x_of(begin) < 3 || x < label_width || start < label_width || ++drawn > 200) continue;
      context.beginPath();
      context.moveTo(start, origin);
      context.lineTo(x, y);
      context.stroke();
      context.fillRect(x - 2, y - 2, 4, 4);
    }
  }

  draw_frame() {
    const context = this.context, per_row = this.data.timeline.ranks_per_row;
    context.fillStyle = '#fff';
    context.fillRect(0, 0, label_width, this.height);
    context.fillStyle = '#1b1b1b';
    context.font = '11px system-ui, sans-serif';
    const every = Math.max(1, Math.ceil(14 / this.row_height));
    this.rows.forEach((row, place) => {
      if (place % every !== 0) return;
      const last = Math.min((row + 1) * per_row, this.data.ranks) - 1;
      context.fillText(per_row === 1 ? `rank ${row}` : `${row * per_row}-${last}`, 2, (place + 0.5) * this.row_height + 4);
    });
    const bottom = this.height - 6, length = this.view.to - this.view.from;
    const step = 10 ** Math.floor(Math.log10(length / 2)), marks = length / step > 10 ? 2 * step : step;
    for (let ns = Math.ceil(this.view.from / marks) * marks; ns <= this.view.to; ns += marks) {
      context.fillRect(this.x_of(ns), this.height - axis_height, 1, 4);
      if (this.x_of(ns) < this.width - 50) context.fillText(time_text(ns), this.x_of(ns) + 2, bottom);
    }
  }

  // What lies under the pointer, in words.
  tell(x, y) {
    const row = this.rows[Math.floor(y / this.row_height)], ns = this.ns_at(x);
    const detail = by_id('timeline-detail');
    if (row === undefined || x < label_width) { detail.textContent = ''; return; }
    const hits = (this.calls.get(row) || []).filter(call => call.begin <= ns && ns <= call.end);
    const call = hits[hits.length - 1];
    if (call !== undefined) {
      const peer = call.activity === 'collective' ? `root is rank ${call.peer}` : `rank ${call.peer}`;
      const about = [call.peer === null ? '' : `, ${peer}`, call.bytes > 0 ? `, ${bytes_text(call.bytes)}` : ''].join('');
      detail.textContent = `Rank ${call.rank}: ${call.name}${about}, ${time_text(call.end - call.begin)}.`;
      return;
    }
    const {bins, activities} = this.data.timeline, bin = Math.min(Math.floor(ns / this.data.duration * bins), bins - 1);
    const shares = activities.map((name, i) => [name, this.cells[(row * bins + bin) * activities.length + i] / 255])
        .filter(([, share]) => share > 0.005).map(([name, share]) => `${name} ${percent_text(share)}`);
    detail.textContent = `Rank ${row * this.data.timeline.ranks_per_row} around ${time_text(ns)}: ${shares.join(', ')}.`;
  }
}
