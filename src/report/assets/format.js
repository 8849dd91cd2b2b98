// Numbers as the program writes them.

const MINUS = "\u2212";
const UNITS = { throughput: "GB/s", operations: "Gop/s", percent: "%", energy: "mJ", power: "W" };

/** `digits` significant digits, never dropping whole ones. */
function significant(value, digits) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const decimals = (size) => Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const rounded = Math.abs(Number(value.toFixed(Math.min(decimals(Math.abs(value)), 20))));
  return value.toFixed(Math.min(decimals(rounded || Math.abs(value)), 20)).replace("-", MINUS);
}

/** The unit that suits a time in microseconds, and how many microseconds it has. */
function timeUnit(us) {
  const size = Math.abs(us);
  if (size >= 1e6) return ["s", 1e6];
  if (size >= 1e3) return ["ms", 1e3];
  return size >= 1 || size === 0 ? ["µs", 1] : ["ns", 1e-3];
}

/** A value of a chart with its unit. */
function quantity(value, kind, digits = 6) {
  if (kind !== "time") return `${plain(value, digits)} ${UNITS[kind] ?? ""}`.trim();
  const [unit, size] = timeUnit(value);
  return `${plain(value / size, digits)} ${unit}`;
}

/** So many significant digits at most, without trailing zeros. */
function plain(value, digits = 6) {
  const text = significant(value, digits);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** The title of an axis, with its unit and how it is scaled. */
function axisTitle(label, unit, log) {
  const aside = [unit, log && "log scale"].filter(Boolean).join(", ");
  return aside ? `${label} (${aside})` : label;
}

/** A power of two with a binary prefix: `64Mi`. */
function binary(value) {
  let [size, place] = [value, 0];
  for (; size >= 1024 && Number.isInteger(size / 1024) && place < 4; place++) size /= 1024;
  return plain(size) + ["", "Ki", "Mi", "Gi", "Ti"][place];
}

/** Round numbers from `low` to `high`, about `count` of them. */
function linearTicks(low, high, count) {
  const rough = (high - low) / Math.max(count, 1);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough * 0.999);
  const ticks = [];
  for (let index = Math.ceil(low / step - 1e-9); index * step <= high + step * 1e-9; index++) ticks.push(index * step);
  return ticks;
}

/** Powers of the base from `low` to `high`; with too few of them multiples in between, or round numbers. */
function logTicks(low, high, base, count) {
  const at = (value) => Math.log(value) / Math.log(base);
  const first = Math.ceil(at(low) - 1e-9);
  const last = Math.floor(at(high) + 1e-9);
  const every = Math.max(1, Math.ceil((last - first + 1) / Math.max(count, 1)));
  const ticks = [];
  for (let power = first; power <= last; power += every) ticks.push(base ** power);
  if (ticks.length >= 3) return ticks;
  if (base === 10) {
    const between = [];
    for (let power = first - 1; power <= last; power++) {
      for (const factor of [1, 2, 5]) between.push(factor * 10 ** power);
    }
    const inside = between.filter((tick) => tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9));
    if (inside.length >= 3) return inside;
  }
  return linearTicks(low, high, count).filter((tick) => tick > 0);
}
