// Counters: those of the processor and the kernel by region, and the program's own over time.

function svg_element(tag, attributes, ...children) {
  const made = document.createElementNS(by_id('svg-frame').namespaceURI, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function make_hardware(data) {
  const counters = [...new Set(data.hardware.flatMap(region => Object.keys(region.counts)))];
  make_table(by_id('hardware-table'), [
    {title: 'region', text: region => region.region, words: true},
    {title: 'times', text: region => count_text(region.times), value: region => region.times},
    ...counters.map(name => ({title: name, text: region => count_text(region.counts[name] ?? 0), value: region => region.counts[name] ?? 0})),
  ], data.hardware, Math.min(2, counters.length + 1));
}

// A band from the least to the most of all ranks at a time, and a line through their mean.
function draw_counter(counter, duration) {
  const width = 600, height = 60, least = Math.min(counter.least, 0), range = Math.max(counter.most - least, 1);
  const x = bin => (bin + 0.5) / counter.bins * width, y = value => height - 2 - (value - least) / range * (height - 4);
  const points = (values, of) => values.map(bin => `${x(bin[0]).toFixed(1)},${y(of(bin)).toFixed(1)}`);
  const band = [...points(counter.curve, bin => bin[3]), ...points([...counter.curve].reverse(), bin => bin[1])];
  const dots = counter.curve.map(bin => svg_element('circle', {cx: x(bin[0]).toFixed(1), cy: y(bin[2]).toFixed(1), r: 2, fill: '#003a70'},
    svg_element('title', {}, document.createTextNode(`around ${time_text((bin[0] + 0.5) / counter.bins * duration)}: ` +
      `${count_text(bin[1])} to ${count_text(bin[3])}, ${count_text(bin[2])} in the mean`))));
  return svg_element('svg', {viewBox: `0 0 ${width} ${height}`, class: 'curve', role: 'img', 'aria-label': `${counter.name} over time`},
    svg_element('polygon', {points: band.join(' '), fill: '#9cc5e8', stroke: '#9cc5e8'}),
    svg_element('polyline', {points: points(counter.curve, bin => bin[2]).join(' '), fill: 'none', stroke: '#003a70'}), ...dots);
}

function make_counters(data) {
  if (data.hardware.length > 0) make_hardware(data);
  by_id('counter-list').append(...data.counters.flatMap(counter => [
    element('h3', {}, counter.name),
    element('p', {class: 'faint'}, `${count_text(counter.events)} times, ${count_text(counter.least)} to ${count_text(counter.most)}, ` +
      `${count_text(Math.round(counter.mean))} in the mean of all ranks`),
    draw_counter(counter, data.duration)]));
  if (data.hardware.length + data.counters.length === 0)
    by_id('counter-list').append(element('p', {class: 'faint'}, 'None were asked for: --trace-counters, or polder::Trace::count in the program.'));
}
