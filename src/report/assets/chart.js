// A line chart: axes and zoom by uPlot, everything between them by marks.js, hover and keyboard here.

const isDark = () => getComputedStyle(document.documentElement).colorScheme.includes("dark");

class View {
  constructor(chart, place) {
    this.chart = chart;
    this.visible = chart.series.map(() => true);
    this.ratio = devicePixelRatio || 1;
    this.isDark = isDark();
    this.spoken = element("p", { class: "hidden", "aria-live": "polite" });
    this.tip = element("div", { class: "tip", role: "presentation" });
    this.details = element("div", { class: "details" });
    this.frame = element("div", { class: "plot", tabindex: "0", role: "group", "aria-label": chart.about });
    this.limits();
    place.append(element("p", { class: "axis" }, this.yTitle), this.frame, element("p", { class: "axis x" }, axisTitle(chart.xLabel, "", chart.xLog)));
    place.append(this.legend(), this.laws(), this.details, this.spoken);
    this.plot = new uPlot(this.options(), [this.xs, [null, null]], this.frame);
    this.plot.over.append(this.tip);
    this.listen();
  }

  colour(series) { return this.chart.series[series].colour[this.isDark ? 1 : 0]; }

  isLawVisible(law) { return law.series === null || this.visible[law.series]; }

  isDrawable(x, y) {
    const fits = (value, log) => value !== null && Number.isFinite(value) && (!log || value > 0);
    return fits(x, this.chart.xLog) && fits(y, this.chart.yLog);
  }

  /** The ends of the axes with everything in view, and the unit of the values. */
  limits() {
    const { series, laws, xLog, yLog, yLabel, quantity: kind } = this.chart;
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    const reach = (x, ys) => {
      if (x !== null && (!xLog || x > 0)) [x0, x1] = [Math.min(x0, x), Math.max(x1, x)];
      for (const y of ys) if (this.isDrawable(1, y)) [y0, y1] = [Math.min(y0, y), Math.max(y1, y)];
    };
    for (const one of series) {
      one.value.forEach((value, dot) => reach(one.level ? null : one.x[dot], [value, one.low[dot], one.high[dot]]));
    }
    for (const [low, high] of this.chart.guides) reach(null, [low, high]);
    const beyond = y1;
    for (const law of laws) for (const [x, y] of law.path) reach(x, y <= beyond * 1.25 || beyond < 0 ? [y] : []);
    if (!(x1 >= x0)) [x0, x1] = [1, 2];
    if (!(y1 >= y0)) [y0, y1] = [yLog ? 1 : 0, 1];
    if (x0 === x1) [x0, x1] = xLog ? [x0 / 2, x1 * 2] : [x0 - 1, x1 + 1];
    const widen = (low, high, log, part) => {
      const apart = log ? Math.log(high / low) : high - low;
      return log ? [low * Math.exp(-apart * part), high * Math.exp(apart * part)] : [low - apart * part, high + apart * part];
    };
    this.xs = widen(x0, x1, xLog, 0.03);
    if (yLog) this.ys = widen(y0, y0 === y1 ? y1 * 1.5 : y1, true, 0.06);
    else this.ys = [Math.min(0, y0 * 1.06), Math.max(0, y1) * 1.06 || 1];
    [this.unit, this.unitSize] = kind === "time" ? timeUnit(y1) : [UNITS[kind] ?? "", 1];
    this.yTitle = axisTitle(yLabel, this.unit, yLog);
  }

  size() {
    const width = Math.max(240, this.frame.clientWidth);
    return { width, height: Math.round(Math.min(430, Math.max(280, width * 0.6))) };
  }

  options() {
    const { xLog, yLog } = this.chart;
    const axis = (log, per, scale, spare) => ({
      scale,
      stroke: () => colourOf("--quiet"),
      // A whole number: uPlot scales only the digits before "px" to the screen.
      font: "13px system-ui, sans-serif",
      grid: { stroke: () => colourOf("--line"), width: 1 },
      ticks: { stroke: () => colourOf("--line"), size: 5 },
      splits: (plot, _, low, high) => {
        const count = Math.max(2, Math.floor((scale === "x" ? plot.width : plot.height) / spare));
        return log ? logTicks(low, high, log, count) : linearTicks(low, high, count);
      },
      values: (_, splits) => splits.map((value) => (log === 2 ? binary(value) : plain(value / per))),
      filter: (_, splits) => splits,
    });
    const scale = (log, [min, max]) => ({ time: false, auto: false, min, max, range: (_, low, high) => [low, high], distr: log ? 3 : 1, log: log || 10 });
    const y = axis(yLog, this.unitSize, "y", 55);
    y.size = (plot, values) => 22 + Math.max(...(values ?? [""]).map((value) => value.length)) * 7.2;
    return {
      ...this.size(),
      legend: { show: false },
      cursor: { points: { show: false }, drag: { x: true, y: true, uni: 24 }, bind: { dblclick: () => () => this.reset() } },
      scales: { x: scale(xLog, this.xs), y: scale(yLog, this.ys) },
      axes: [axis(xLog, 1, "x", 75), y],
      series: [{}, { show: false, scale: "y" }],
      hooks: { draw: [() => drawMarks(this)], setScale: [(plot) => { this.whole.hidden = plot.scales.x.min === this.xs[0] && plot.scales.x.max === this.xs[1]; }] },
    };
  }

  reset() {
    this.plot.setScale("x", { min: this.xs[0], max: this.xs[1] });
    this.plot.setScale("y", { min: this.ys[0], max: this.ys[1] });
  }

  /** A button for each series, and one for the zoom. */
  legend() {
    const list = element("ul", { class: "legend", "aria-label": "Series" });
    this.chart.series.forEach((series, index) => {
      const swatch = element("canvas", { width: "40", height: "20", "aria-hidden": "true" });
      const button = element("button", { type: "button", "aria-pressed": "true" }, swatch, series.label);
      button.addEventListener("click", () => {
        this.visible[index] = !this.visible[index];
        button.setAttribute("aria-pressed", String(this.visible[index]));
        this.plot.redraw();
      });
      list.append(element("li", {}, button));
    });
    this.whole = element("button", { type: "button", class: "whole", hidden: "" }, "Whole range");
    this.whole.addEventListener("click", () => this.reset());
    list.append(element("li", {}, this.whole));
    this.swatches = () => list.querySelectorAll("canvas").forEach((canvas, index) => {
      const context = canvas.getContext("2d");
      context.clearRect(0, 0, 40, 20);
      context.beginPath();
      if (this.chart.series[index].level) trace(context, [[2, 10], [16, 10], null, [24, 10], [38, 10]]);
      else marker(context, this.chart.series[index].shape, 20, 10, this.chart.series[index].hollow ? 6 : 8);
      context.fillStyle = context.strokeStyle = this.colour(index);
      context.lineWidth = 3;
      if (this.chart.series[index].hollow || this.chart.series[index].level) context.stroke();
      else context.fill();
    });
    this.swatches();
    return list;
  }

  /** The laws that are drawn, by series. */
  laws() {
    if (this.chart.laws.length === 0) return "";
    const list = element("dl", {});
    for (const law of this.chart.laws) {
      list.append(element("dt", {}, law.series === null ? "" : this.chart.series[law.series].label), element("dd", {}, law.label));
    }
    return element("details", { class: "drawn-laws" }, element("summary", {}, "The laws that are drawn"), list);
  }

  /** The visible point nearest to a place in pixels, as series and dot. */
  nearest(x, y) {
    let [best, found] = [32 ** 2, null];
    this.chart.series.forEach((series, index) => {
      if (!this.visible[index]) return;
      series.value.forEach((value, dot) => {
        if (!this.isDrawable(series.level ? 1 : series.x[dot], value)) return;
        const across = series.level ? 20 : this.plot.valToPos(series.x[dot], "x") - x;
        const distance = across ** 2 + (this.plot.valToPos(value, "y") - y) ** 2;
        if (distance < best) [best, found] = [distance, [index, dot]];
      });
    });
    return found;
  }

  /** What is known of a dot: name and text of each thing. */
  facts([index, dot], all) {
    const series = this.chart.series[index];
    const kind = this.chart.quantity;
    const facts = [[this.chart.yLabel, quantity(series.value[dot], kind)]];
    const [low, high] = [series.low[dot], series.high[dot]];
    if (low !== null && high !== null && low < high) facts.push(["95 % interval", `${quantity(low, kind)} to ${quantity(high, kind)}`]);
    const row = rowOfPoint.get(series.point[dot]);
    if (row === undefined) return series.level ? facts : [...facts, [this.chart.xLabel, plain(series.x[dot], 9)]];
    const known = columns.filter((column) => cell(column, row) !== "");
    const shown = known.filter((column) => all || (column.tip && (typeof column.cells !== "string" || column.tip === "always")));
    return facts.concat(shown.slice(0, all ? undefined : 12).map((column) => [column.name, cell(column, row)]));
  }

  show(found) {
    this.found = found;
    this.tip.classList.toggle("shown", Boolean(found));
    if (!found) return;
    const [index, dot] = found;
    const series = this.chart.series[index];
    const list = element("dl");
    for (const [name, text] of this.facts(found, false)) list.append(element("dt", {}, name), element("dd", {}, text));
    this.tip.replaceChildren(element("strong", {}, series.label), list);
    const [x, y] = [series.level ? this.plot.over.clientWidth / 2 : this.plot.valToPos(series.x[dot], "x"), this.plot.valToPos(series.value[dot], "y")];
    // Beside the dot, on the side with more room, and never beyond the window.
    const { left } = this.plot.over.getBoundingClientRect();
    const wide = this.tip.offsetWidth;
    const beside = x > this.plot.over.clientWidth / 2 ? x - 14 - wide : Math.max(0, x) + 14;
    const last = document.documentElement.clientWidth - left - wide - 4;
    this.tip.style.left = `${Math.max(4 - left, Math.min(beside, last))}px`;
    this.tip.style.top = `${Math.max(0, Math.min(y - 12, this.plot.over.clientHeight - this.tip.offsetHeight))}px`;
  }

  /** Everything that is known of the point in focus, below the chart. */
  pin() {
    if (!this.found) return this.details.replaceChildren();
    const list = element("dl");
    for (const [name, text] of this.facts(this.found, true)) list.append(element("div", {}, element("dt", {}, name), element("dd", {}, text)));
    this.details.replaceChildren(element("h4", {}, this.chart.series[this.found[0]].label), list);
  }

  /** Steps to the next dot of the series, or to another series. */
  step(across, along) {
    const seen = this.chart.series.map((_, index) => index).filter((index) => this.visible[index] && this.chart.series[index].value.length > 0);
    if (seen.length === 0) return;
    let [index, dot] = this.found ?? [seen[0], -1];
    const place = (seen.indexOf(index) + across + seen.length) % seen.length;
    index = seen[Math.max(0, place)];
    dot = Math.max(0, Math.min(dot + along, this.chart.series[index].value.length - 1));
    this.show([index, dot]);
    this.spoken.textContent = [this.chart.series[index].label, ...this.facts([index, dot], false).map((fact) => fact.join(" "))].join(", ");
  }

  listen() {
    const over = this.plot.over;
    over.addEventListener("mousemove", (event) => this.show(this.nearest(event.offsetX, event.offsetY)));
    over.addEventListener("mouseleave", () => this.show(null));
    over.addEventListener("click", () => this.pin());
    const keys = { ArrowRight: () => this.step(0, 1), ArrowLeft: () => this.step(0, -1), ArrowUp: () => this.step(-1, 0), ArrowDown: () => this.step(1, 0), Enter: () => this.pin(), Escape: () => this.show(null), Home: () => this.reset() };
    this.frame.addEventListener("keydown", (event) => {
      if (!(event.key in keys)) return;
      keys[event.key]();
      event.preventDefault();
    });
    // A frame later: a size that is changed while sizes are being told would be told again.
    new ResizeObserver(() => requestAnimationFrame(() => {
      this.ratio = devicePixelRatio || 1;
      const size = this.size();
      if (size.width !== this.plot.width) this.plot.setSize(size);
    })).observe(this.frame);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { this.isDark = isDark(); this.swatches(); this.plot.redraw(); });
  }
}
