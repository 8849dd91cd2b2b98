// Tables that sort by their headers, and show many rows a page at a time.

const PAGE = 100;

/** Numbers by size, then everything else by its letters; what is empty comes last, whichever way. */
function compare(one, other, sign) {
  if (one === other) return 0;
  if (one === "" || other === "") return one === "" ? 1 : -1;
  const [left, right] = [Number(one), Number(other)];
  if (!Number.isNaN(left) && !Number.isNaN(right)) return sign * (left - right);
  if (Number.isNaN(left) !== Number.isNaN(right)) return Number.isNaN(left) ? 1 : -1;
  return sign * (one < other ? -1 : 1);
}

/**
 * Makes a table sort. `rows` has for each row a function from a column to what it sorts by, and one that makes its
 * element; rows beyond a page are behind buttons.
 */
function sortable(table, rows) {
  const body = table.tBodies[0];
  const headers = [...table.tHead.rows[0].cells];
  const status = element("p", { class: "pages", "aria-live": "polite" });
  let page = 0;
  const step = (label, by) => {
    const button = element("button", { type: "button" }, label);
    button.addEventListener("click", () => { page += by; show(); });
    return button;
  };
  const [previous, next] = [step("Previous rows", -1), step("Next rows", 1)];
  const count = element("span");
  const isPaged = rows.length > PAGE * 5;

  function show() {
    const shown = isPaged ? rows.slice(page * PAGE, (page + 1) * PAGE) : rows;
    body.replaceChildren(...shown.map((row) => row.node()));
    if (!isPaged) return;
    previous.disabled = page === 0;
    next.disabled = (page + 1) * PAGE >= rows.length;
    count.textContent = `Rows ${page * PAGE + 1} to ${page * PAGE + shown.length} of ${rows.length}`;
  }

  headers.forEach((header, column) => {
    const button = element("button", { type: "button" });
    button.append(...header.childNodes);
    header.append(button);
    button.addEventListener("click", () => {
      const isUp = header.getAttribute("aria-sort") !== "ascending";
      headers.forEach((other) => other.removeAttribute("aria-sort"));
      header.setAttribute("aria-sort", isUp ? "ascending" : "descending");
      const keyed = rows.map((row) => [row.key(column), row]);
      keyed.sort((one, other) => compare(one[0], other[0], isUp ? 1 : -1));
      rows = keyed.map(([, row]) => row);
      page = 0;
      show();
    });
  });
  if (isPaged) {
    status.append(previous, count, next);
    table.closest(".table").after(status);
    show();
  }
}

/** Rows that are in the page already. */
function rowsOf(table) {
  return [...table.tBodies[0].rows].map((row) => ({
    key: (column) => row.cells[column].dataset.value ?? row.cells[column].textContent.trim(),
    node: () => row,
  }));
}

/** Rows of the embedded points, made when they are shown. */
function embeddedRows(shown) {
  return Array.from({ length: data.points.shown }, (_, row) => ({
    key: (column) => cell(shown[column], row),
    node: () => {
      const cells = shown.map((column) => element("td", column.number ? { class: "number" } : {}, cell(column, row)));
      const line = element("tr", {}, ...cells);
      line.firstChild.replaceWith(element("th", { scope: "row" }, cell(shown[0], row)));
      return line;
    },
  }));
}

function tables() {
  for (const table of document.querySelectorAll("table.sortable")) {
    const isCut = table.dataset.rows === "points" && table.tBodies[0].rows.length < data.points.shown;
    const shown = columns.filter((column, index) => index === 0 || typeof column.cells !== "string");
    sortable(table, isCut ? embeddedRows(shown) : rowsOf(table));
  }
}
