// Traffic from each rank to each other: a picture, and a table beneath.

function block_name(block, number, ranks) {
  if (block === 1) return `rank ${number}`;
  return `ranks ${number * block}-${Math.min((number + 1) * block, ranks) - 1}`;
}

function draw_matrix(data, what) {
  const {size, cells} = data.matrix, canvas = by_id('matrix-canvas');
  const [context, width] = prepare_canvas(canvas, Math.min(canvas.clientWidth || 560, 560));
  const side = width / Math.max(size, 1), most = Math.max(1, ...cells.map(cell => cell[what]));
  context.fillStyle = '#f5f6f7';
  context.fillRect(0, 0, width, width);
  for (const cell of cells) {
    if (cell[what] === 0) continue;
    // From light to dark by the logarithm, so that what is small beside the largest can still be seen.
    const share = Math.log1p(cell[what]) / Math.log1p(most);
    context.fillStyle = `hsl(210, 80%, ${95 - 75 * share}%)`;
    context.fillRect(cell[1] * side, cell[0] * side, Math.max(side - 0.5, 0.5), Math.max(side - 0.5, 0.5));
  }
  return side;
}

function make_matrix(data) {
  const {block, cells} = data.matrix, chosen = by_id('matrix-what'), canvas = by_id('matrix-canvas');
  let side = 1;
  const draw = () => { side = draw_matrix(data, Number(chosen.value)); };
  const name = number => block_name(block, number, data.ranks);
  const by_place = new Map(cells.map(cell => [cell[0] + ' ' + cell[1], cell]));
  chosen.onchange = draw;
  canvas.addEventListener('pointermove', event => {
    const from = Math.floor(event.offsetY / side), to = Math.floor(event.offsetX / side);
    const cell = by_place.get(from + ' ' + to);
    const said = cell ? `${bytes_text(cell[2])} in ${count_text(cell[3])} messages, ${time_text(cell[4])} in calls` : 'nothing';
    by_id('matrix-detail').textContent = `From ${name(from)} (line) to ${name(to)} (column): ${said}.`;
  });
  window.addEventListener('resize', draw);
  draw();
  make_table(by_id('matrix-table'), [
    {title: 'from', text: cell => name(cell[0]), value: cell => cell[0], words: true},
    {title: 'to', text: cell => name(cell[1]), value: cell => cell[1]},
    {title: 'bytes', text: cell => bytes_text(cell[2]), value: cell => cell[2]},
    {title: 'messages', text: cell => count_text(cell[3]), value: cell => cell[3]},
    {title: 'bytes each', text: cell => bytes_text(cell[2] / cell[3]), value: cell => cell[2] / cell[3]},
    {title: 'time in calls', text: cell => time_text(cell[4]), value: cell => cell[4]},
  ], cells, 2);
}
