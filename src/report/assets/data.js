// What the page has embedded.

const data = JSON.parse(document.getElementById("run-data").textContent);
const columns = data.points.columns;

/** The cell of a column in a row of the embedded points; a column that is the same everywhere has one text. */
function cell(column, row) {
  return typeof column.cells === "string" ? column.cells : column.cells[row];
}

/** The row of a point, by its number. */
const rowOfPoint = new Map();
for (let row = 0; row < data.points.shown; row++) rowOfPoint.set(Number(cell(columns[0], row)), row);

/** The cell of a text in a CSV file; an apostrophe keeps spreadsheets from computing one that begins like a formula. */
function csvCell(text) {
  if (/^([\t\r]|[\s\u00ad\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]*[=+\-@＝＋－＠][^])/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The embedded points as CSV. */
function pointsCsv() {
  const lines = [columns.map((column) => csvCell(column.name)).join(",")];
  for (let row = 0; row < data.points.shown; row++) {
    lines.push(columns.map((column) => csvCell(cell(column, row))).join(","));
  }
  return lines.join("\n") + "\n";
}

/** A new element with these attributes and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Makes the buttons that save the embedded data as files; nothing is requested from anywhere. */
function downloads() {
  const files = { points: pointsCsv, fits: () => data.fits, scenario: () => data.scenario };
  for (const button of document.querySelectorAll("button[data-download]")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      const type = button.dataset.download === "scenario" ? "application/toml" : "text/csv";
      const address = URL.createObjectURL(new Blob([files[button.dataset.download]()], { type }));
      element("a", { href: address, download: button.dataset.file }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    });
  }
}
