// Bars and heat maps stay pictures: what a part is of, its title, is shown beside it, by pointer and by arrow keys.

function explore(picture) {
  const parts = [...picture.querySelectorAll("g > title")].map((title) => [title.parentNode, title.textContent]);
  if (parts.length === 0) return;
  // Shown by us instead of by the browser, which does so late and not for the keyboard.
  picture.querySelectorAll("g > title").forEach((title) => title.remove());
  const said = element("p", { class: "said", "aria-live": "polite" }, "\u00a0");
  picture.append(said);
  let current = -1;
  const show = (index) => {
    parts[current]?.[0].classList.remove("current");
    current = index;
    parts[current]?.[0].classList.add("current");
    said.textContent = parts[current]?.[1] ?? "\u00a0";
  };
  const frame = picture.querySelector("svg");
  frame.setAttribute("tabindex", "0");
  frame.addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by === undefined) return;
    show(Math.max(0, Math.min(current + by, parts.length - 1)));
    event.preventDefault();
  });
  parts.forEach(([part], index) => part.addEventListener("pointerenter", () => show(index)));
  frame.addEventListener("pointerleave", () => show(-1));
}
