// Puts the page together: words first, pictures and tables after.

function make_summary(data) {
  by_id('summary').textContent = `${count_text(data.ranks)} ranks on ${count_text(data.hosts)} ${data.hosts === 1 ? 'host' : 'hosts'}, ` +
      `${count_text(data.events)} events, ${time_text(data.duration)}. Parallel efficiency ${percent_text(data.efficiencies.parallel)}.`;
}

function make_losses(data, timeline) {
  const all = data.duration * Math.max(data.rows.reduce((sum, row) => sum + row.ranks, 0), 1);
  const place = by_id('loss-list');
  if (data.losses.length === 0) place.replaceWith(element('p', {}, 'No losses were found.'));
  place.append(...data.losses.slice(0, 5).map(loss => element('li', {},
    element('b', {}, loss.cause), ` · ${time_text(loss.ns)}, ${percent_text(loss.ns / all)} of all ranks' time`,
    element('div', {class: 'meter'}, element('i', {style: `width: ${Math.min(100, 100 * loss.ns / all)}%`})),
    loss.sentence, element('p', {class: 'way-out'}, 'Way out: ' + loss.way_out, ' ',
      loss.longest && element('button', {onclick: () => show_loss(loss, timeline)}, 'Show the longest one')))));
}

function show_loss(loss, timeline) {
  const [, begin, end] = loss.longest, around = (end - begin) / 2;
  timeline.show(begin - around, end + around);
  by_id('timeline').scrollIntoView({behavior: 'smooth'});
}

function make_legend(data) {
  by_id('legend').append(...data.timeline.activities.map(name =>
      element('span', {}, element('i', {style: `background: var(--${name})`}), name)),
      element('span', {}, element('i', {style: `background: ${region_colour}`}), 'region of the program'));
}

function make_path(data) {
  const without = by_id('path-without'), avoided = new Set();
  const rows = data.path.calls.map(([rank, name, ns]) => ({rank: `rank ${rank}`, call: name < 0 ? 'computing' : data.names[name], ns}));
  if (data.path.transfer > 0) rows.push({rank: 'between ranks', call: 'under way', ns: data.path.transfer});
  for (const row of rows) {
    row.box = element('input', {type: 'checkbox', 'aria-label': `without ${row.call} of ${row.rank}`,
                                onchange: () => { row.box.checked ? avoided.add(row) : avoided.delete(row); tell(); }});
  }
  function tell() {
    const saved = [...avoided].reduce((sum, row) => sum + row.ns, 0);
    without.textContent = avoided.size === 0 ? `The run took ${time_text(data.duration)}.` :
        `Without what is ticked the run would take at least ${time_text(data.duration - saved)}, ${percent_text(saved / data.duration)} less.`;
  }
  make_table(by_id('path-table'), [
    {title: 'avoid', text: row => row.box, value: row => Number(row.box.checked)},
    {title: 'rank', text: row => row.rank, words: true},
    {title: 'call', text: row => row.call, words: true},
    {title: 'time', text: row => time_text(row.ns), value: row => row.ns},
    {title: 'share', text: row => percent_text(row.ns / data.duration), value: row => row.ns},
    {title: 'the run without it', text: row => time_text(data.duration - row.ns), value: row => data.duration - row.ns},
  ], rows, 3);
  tell();
}

function make_efficiency(data) {
  const rated = data.efficiencies;
  const line = (depth, name, share, meaning) => [
    element('span', {style: `padding-left: ${depth * 18}px`}, `${name} ${percent_text(share)}`),
    element('div', {class: 'bar', title: meaning}, element('i', {style: `width: ${100 * Math.min(share, 1)}%; background: var(--compute)`}))];
  by_id('pop').replaceChildren(element('div', {class: 'bars'},
    ...line(0, 'parallel efficiency', rated.parallel, 'the share of all ranks\' time that was not spent in calls'),
    ...line(1, 'load balance', rated.load_balance, 'the average rank\'s work beside that of the busiest'),
    ...line(1, 'communication efficiency', rated.communication, 'the busiest rank\'s work beside the run'),
    ...line(2, 'serialisation', rated.serialisation, 'waits for each other'),
    ...line(2, 'transfer', rated.transfer, 'moving data')));
  const states = Object.entries(data.wait_states).filter(([, ns]) => ns > 0);
  make_table(by_id('wait-states'), [
    {title: 'state', text: row => row[0], words: true},
    {title: 'time of all ranks', text: row => time_text(row[1]), value: row => row[1]},
  ], states, 1);
}

const row_name = row => row.ranks === 1 ? `rank ${row.rank}` : `ranks from ${row.rank}`;

function make_calls(data) {
  const all = data.table.reduce((sum, call) => sum + call.ns, 0) || 1;
  make_table(by_id('call-table'), [
    {title: 'call', text: call => call.name, words: true},
    {title: 'count', text: call => count_text(call.count), value: call => call.count},
    {title: 'time', text: call => time_text(call.ns), value: call => call.ns},
    {title: 'share', text: call => percent_text(call.ns / all), value: call => call.ns},
    {title: 'each', text: call => time_text(call.ns / call.count), value: call => call.ns / call.count},
    {title: 'bytes', text: call => bytes_text(call.bytes), value: call => call.bytes},
    {title: 'failed', text: call => count_text(call.failures), value: call => call.failures},
  ], data.table, 2);
  const each = data.table.flatMap(call => call.by_row.map((ns, i) => ({call: call.name, row: data.rows[i], ns})).filter(one => one.ns > 0));
  make_table(by_id('call-rank-table'), [
    {title: 'call', text: one => one.call, words: true},
    {title: 'rank', text: one => row_name(one.row), value: one => one.row.rank},
    {title: 'time', text: one => time_text(one.ns), value: one => one.ns},
    {title: 'of its run', text: one => percent_text(one.ns / one.row.ranks / data.duration), value: one => one.ns / one.row.ranks},
  ], each, 2);
}

function make_ranks(data) {
  const bar = row => {
    const whole = Math.max(data.duration * row.ranks, 1), share = ns => `width: ${100 * Math.max(0, Math.min(ns / whole, 1))}%`;
    return [element('span', {}, row_name(row)), element('div', {class: 'bar', title: `${time_text(row.useful)} of its own work`},
      element('i', {style: `${share(row.useful)}; background: var(--compute)`}),
      element('i', {style: `${share(row.startup)}; background: var(--setup)`}),
      element('i', {style: `${share(row.calls - row.startup)}; background: var(--wait)`}))];
  };
  const shown = data.rows.length <= 64 ? data.rows : [...data.rows].sort((a, b) => b.useful / b.ranks - a.useful / a.ranks);
  const bars = shown.length <= 64 ? shown : [...shown.slice(0, 32), ...shown.slice(-32)];
  by_id('rank-bars').replaceChildren(
    element('p', {class: 'faint'}, bars.length < shown.length ? 'The 32 busiest and the 32 idlest: ' : '', 'own work, start-up, calls of Polder.'),
    element('div', {class: 'bars'}, ...bars.flatMap(bar)));
  make_table(by_id('rank-table'), [
    {title: 'rank', text: row_name, value: row => row.rank, words: true},
    {title: 'host', text: row => row.host, words: true},
    {title: 'own work', text: row => time_text(row.useful), value: row => row.useful},
    {title: 'in calls', text: row => time_text(row.calls), value: row => row.calls},
    {title: 'start-up', text: row => time_text(row.startup), value: row => row.startup},
    {title: 'ready without a core', text: row => time_text(row.delay), value: row => row.delay},
  ], data.rows, 2);
}

function make_remarks(data) {
  const remarks = data.remarks.length > 0 ? data.remarks : ['None: every rank left a whole file.'];
  by_id('remark-list').append(...remarks.map(remark => element('li', {}, remark)));
}

function make_page() {
  const data = JSON.parse(by_id('data').textContent);
  make_summary(data);
  make_legend(data);
  const timeline = new Timeline(data);
  make_losses(data, timeline);
  make_path(data);
  make_efficiency(data);
  make_calls(data);
  make_ranks(data);
  make_matrix(data);
  make_histograms(data);
  make_counters(data);
  make_remarks(data);
}

try {
  make_page();
} catch (problem) {
  document.body.prepend(element('p', {id: 'problem'}, 'This page cannot be shown: ' + problem));
  throw problem;
}
