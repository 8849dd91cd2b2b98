// What is drawn between a chart's axes: bands, laws, crossings, intervals and points, as in its static picture.

const RADIUS = 4.4;
const TAU = 2 * Math.PI;

/** Corners of a regular shape: how many, by which part of a turn the first is turned, how large. */
const REGULAR = { square: [4, 1 / 8, 1.25], triangle: [3, 3 / 4, 1.4], diamond: [4, 0, 1.35], wedge: [3, 1 / 4, 1.4] };

/** Adds a marker around a place to the context's path. */
function marker(context, shape, x, y, radius) {
  if (shape === "plus" || shape === "cross") {
    const turn = shape === "cross" ? TAU / 8 : 0;
    const [long, thick] = [1.25 * radius, 0.42 * radius];
    const bar = [[long, thick], [thick, thick], [thick, long]];
    for (let quarter = 0; quarter < 4; quarter++) {
      for (const [index, [a, b]] of [[long, -thick], ...bar.slice(0, 2)].entries()) {
        const angle = turn + (quarter * TAU) / 4;
        const [px, py] = [a * Math.cos(angle) - b * Math.sin(angle), a * Math.sin(angle) + b * Math.cos(angle)];
        context[quarter + index === 0 ? "moveTo" : "lineTo"](x + px, y + py);
      }
    }
    context.closePath();
  } else if (shape in REGULAR) {
    const [corners, turn, size] = REGULAR[shape];
    for (let corner = 0; corner < corners; corner++) {
      const angle = TAU * (corner / corners + turn);
      const place = [x + size * radius * Math.cos(angle), y + size * radius * Math.sin(angle)];
      context[corner === 0 ? "moveTo" : "lineTo"](...place);
    }
    context.closePath();
  } else {
    context.moveTo(x + radius, y);
    context.arc(x, y, radius, 0, TAU);
  }
}

/** A line through places in pixels; `null` interrupts it. */
function trace(context, places) {
  let isOpen = false;
  for (const place of places) {
    if (place) context[isOpen ? "lineTo" : "moveTo"](...place);
    isOpen = Boolean(place);
  }
}

/** The value of a colour of the style sheet. */
function colourOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** Draws a chart's marks on its canvas; returns nothing. */
function drawMarks(view) {
  const { plot, chart, ratio, visible } = view;
  const context = plot.ctx;
  const { left, top, width, height } = plot.bbox;
  const place = (x, y) => view.isDrawable(x, y) ? [plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)] : null;
  const ground = colourOf("--ground");
  const colour = (index) => index === null ? colourOf("--quiet") : view.colour(index);
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.lineJoin = context.lineCap = "round";
  const stroke = (style, thick, dash) => {
    context.strokeStyle = style;
    context.lineWidth = thick * ratio;
    context.setLineDash((dash ?? []).map((length) => length * ratio));
    context.stroke();
    context.setLineDash([]);
  };

  /** The strip between two lines, given as x, low and high. */
  const strip = (edges, style) => {
    const under = edges.map(([x, low]) => place(x, low));
    const over = edges.map(([x, , high]) => place(x, high)).reverse();
    context.beginPath();
    trace(context, [...under, ...over].filter(Boolean));
    context.globalAlpha = 0.15;
    context.fillStyle = style;
    context.fill();
    context.globalAlpha = 1;
  };

  const { min, max } = plot.scales.x;
  for (const [low, high] of chart.guides) {
    if (low < high) strip([[min, low, high], [max, low, high]], colourOf("--quiet"));
    context.beginPath();
    for (const value of low < high ? [] : [low]) trace(context, [place(min, value), place(max, value)]);
    stroke(colourOf("--edge"), 1);
  }
  for (const law of chart.laws.filter((law) => view.isLawVisible(law))) {
    if (law.band.length > 0) strip(law.band, colour(law.series));
    // Dotted as far as the law does not hold.
    const until = law.holds ? law.from ?? -Infinity : Infinity;
    for (const [part, dash] of [[([x]) => x <= until, [0.5, 5]], [([x]) => x >= until, null]]) {
      context.beginPath();
      trace(context, law.path.filter(part).map(([x, y]) => place(x, y)));
      stroke(colour(law.series), 1.8, dash ?? chart.series[law.series]?.dash);
    }
  }
  // Of very many points each is small and has no rim.
  const isDense = chart.series.reduce((sum, series) => sum + series.x.length, 0) > 2000;
  chart.series.forEach((series, index) => {
    if (!visible[index]) return;
    if (series.level) {
      for (const value of series.value) {
        const y = place(plot.scales.x.min, value)?.[1];
        if (y === undefined) continue;
        context.beginPath();
        trace(context, [[left, y], [left + width, y]]);
        stroke(view.colour(index), 1.6, [6, 4]);
      }
      return;
    }
    if (series.range.length > 0) strip(series.range, view.colour(index));
    const places = series.x.map((x, dot) => place(x, series.value[dot]));
    if (series.joined) {
      context.beginPath();
      trace(context, places);
      context.globalAlpha = 0.6;
      stroke(view.colour(index), 1.4, series.dash);
      context.globalAlpha = 1;
    }
    context.beginPath();
    places.forEach((at, dot) => {
      if (series.low[dot] === series.high[dot]) return;
      const [low, high] = [place(series.x[dot], series.low[dot]), place(series.x[dot], series.high[dot])];
      if (!at || !low || !high || low[1] - high[1] < 2 * RADIUS * ratio) return;
      for (const end of [low, high]) trace(context, [[end[0] - 3.5 * ratio, end[1]], [end[0] + 3.5 * ratio, end[1]]]);
      trace(context, [low, high]);
    });
    stroke(view.colour(index), 1.2);
    const seen = places.filter((at) => at && at[0] > left - 9 && at[0] < left + width + 9);
    const open = series.open.map((dot) => places[dot]).filter((at) => seen.includes(at));
    const radius = (isDense ? RADIUS * 0.55 : RADIUS) * ratio;
    for (const [size, style, marked] of [
      [radius + 1.2 * ratio, ground, seen],
      [radius, view.colour(index), seen],
      [series.hollow ? radius * 0.55 : 0, ground, seen],
      [radius * 0.72, ground, open],
    ]) {
      if (size === 0 || (isDense && style === ground)) continue;
      context.beginPath();
      for (const [x, y] of marked) marker(context, series.shape, x, y, size);
      context.fillStyle = style;
      context.fill();
    }
  });
  context.font = `${11.5 * ratio}px system-ui, sans-serif`;
  context.textAlign = "left";
  context.textBaseline = "top";
  const named = [];
  for (const crossing of chart.crossings) {
    if (crossing.series !== null && !visible[crossing.series]) continue;
    const x = place(crossing.x, plot.scales.y.max)?.[0];
    if (x === undefined || x < left || x > left + width) continue;
    context.beginPath();
    trace(context, [[x, top], [x, top + height]]);
    stroke(colour(crossing.series), 1.1, [3, 3]);
    named.push([crossing.label, x]);
  }
  // After all lines, so that none goes through a name.
  const rows = [];
  // Where a name has no room it would hide what it is about: the findings beside the chart have it, too.
  const fitting = named.filter(([label]) => context.measureText(label).width < width / 2);
  for (const [label, x] of fitting) {
    const wide = context.measureText(label).width + 10 * ratio;
    const start = Math.max(left, Math.min(x, left + width - wide));
    let row = rows.findIndex((end) => end < start);
    if (row < 0) row = rows.push(0) - 1;
    rows[row] = start + wide;
    context.globalAlpha = 0.85;
    context.fillStyle = ground;
    context.fillRect(start + 2 * ratio, top + (2 + row * 16) * ratio, wide - 4 * ratio, 15 * ratio);
    context.globalAlpha = 1;
    context.fillStyle = colourOf("--ink");
    context.fillText(label, start + 5 * ratio, top + (4 + row * 16) * ratio);
  }
  context.restore();
}
