// Counts by powers of two: counts[i] is of numbers with i bits.

function draw_histogram(place, counts, text_of) {
  const last = counts.reduce((found, count, i) => count > 0 ? i : found, -1), first = counts.findIndex(count => count > 0);
  if (last < 0) return place.replaceChildren(element('p', {class: 'faint'}, 'None.'));
  const most = Math.max(...counts);
  const columns = counts.slice(first, last + 1).map((count, i) => {
    const least = first + i === 0 ? 0 : 2 ** (first + i - 1);
    return element('div', {title: `${count_text(count)} from ${text_of(least)} on`}, count > 0 ? count_text(count) : '',
                   element('i', {style: `height: ${100 * count / most}px`}), text_of(least));
  });
  place.replaceChildren(element('div', {class: 'histogram'}, ...columns));
}

function make_histograms(data) {
  draw_histogram(by_id('size-histogram'), data.sizes, bytes_text);
  const chosen = by_id('duration-call');
  const draw = () => draw_histogram(by_id('duration-histogram'), data.table[chosen.value]?.durations || [], time_text);
  chosen.append(...data.table.map((call, i) => element('option', {value: i}, call.name)));
  chosen.onchange = draw;
  draw();
}
