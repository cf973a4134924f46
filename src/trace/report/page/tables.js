// Tables that sort by a click on a heading, and that a text filters.
//
// columns: [{title, text: row => shown, value: row => what it is sorted by, words: it is text}]
const rows_at_first = 50, rows_on_paper = 300;

function make_table(place, columns, rows, sorted_by) {
  let column = sorted_by ?? 0, falling = !columns[column].words, wanted = '', most = rows_at_first;
  const body = element('tbody'), found = element('span', {class: 'faint'}), left_out = element('p', {class: 'on-paper'});
  const value_of = of => of.value || of.text;

  const headings = columns.map((of, i) => element('th', of.words ? {class: 'words'} : {},
      element('button', {onclick: () => sort_by(i)}, of.title)));
  const search = element('input', {type: 'search', placeholder: 'search', 'aria-label': 'search in this table',
                                   oninput: () => { wanted = search.value.toLowerCase(); draw(); }});
  const more = element('button', {onclick: () => { most = Infinity; draw(); }}, 'show all');

  function sort_by(i) {
    falling = i === column ? !falling : !columns[i].words;
    column = i;
    draw();
  }
  function order(a, b) {
    const x = value_of(columns[column])(a), y = value_of(columns[column])(b);
    const result = typeof x === 'string' ? x.localeCompare(y, 'en', {numeric: true}) : x - y;
    return falling ? -result : result;
  }
  function matches(row) {
    return wanted === '' || columns.some(of => String(cell_text(of, row)).toLowerCase().includes(wanted));
  }
  function cell_text(of, row) {
    const shown = of.text(row);
    return shown instanceof Node ? shown.textContent : shown;
  }
  function draw() {
    const hits = rows.filter(matches).sort(order);
    body.replaceChildren(...hits.slice(0, most).map(row => element('tr', {},
        ...columns.map(of => element('td', of.words ? {class: 'words'} : {}, of.text(row))))));
    headings.forEach((heading, i) => heading.setAttribute('aria-sort', i !== column ? 'none' : falling ? 'descending' : 'ascending'));
    headings.forEach((heading, i) => {
      heading.firstChild.textContent = columns[i].title + (i !== column ? '' : falling ? ' ▼' : ' ▲');
      heading.dataset.title = heading.firstChild.textContent;  // for paper: browsers leave buttons out where a heading is repeated
    });
    found.textContent = hits.length === rows.length ? `${rows.length} lines` : `${hits.length} of ${rows.length} lines`;
    more.hidden = hits.length <= most;
    left_out.textContent = hits.length <= most ? '' : `The first ${most} of ${hits.length} lines.`;
  }

  place.replaceChildren(element('div', {class: 'table-tools'}, search, found, more),
                        element('div', {class: 'scroll'}, element('table', {}, element('thead', {}, element('tr', {}, ...headings)), body)), left_out);
  // Paper cannot be clicked.
  window.addEventListener('beforeprint', () => { most = Math.max(most, rows_on_paper); draw(); });
  draw();
}
