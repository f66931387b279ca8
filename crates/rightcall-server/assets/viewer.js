// Keys, and nothing that the pages could not do without.
"use strict";

const find = (selector) => document.querySelector(selector);
const rows = [...document.querySelectorAll("[data-rows] tbody tr")].filter((row) => row.querySelector("[data-open]"));
let current = -1;

function select(index) {
  if (rows.length === 0) return;
  rows[current]?.classList.remove("current");
  current = Math.max(0, Math.min(rows.length - 1, index));
  rows[current].classList.add("current");
  rows[current].querySelector("[data-open]")?.focus({ preventScroll: true });
  rows[current].scrollIntoView({ block: "nearest" });
}

function pick() {
  const box = rows[current]?.querySelector("input[type=checkbox]");
  if (box) box.checked = !box.checked;
}

const keys = {
  j: () => select(current + 1),
  k: () => select(current - 1),
  n: () => find("[data-next]")?.click(),
  p: () => find("[data-previous]")?.click(),
  u: () => find("[data-up]")?.click(),
  x: pick,
  c: () => find("#compare")?.requestSubmit(),
  "/": () => (find("[data-search]") ?? find("select"))?.focus(),
  "?": () => find("#help").showModal(),
};

document.addEventListener("keydown", (event) => {
  const isTyping = event.target.matches("input:not([type=checkbox]), select, textarea");
  if (event.key === "Escape" && isTyping) event.target.blur();
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey || find("#help").open) return;
  const act = keys[event.key];
  if (act) {
    event.preventDefault();
    act();
  }
});

rows.forEach((row, index) => row.addEventListener("focusin", () => {
  rows[current]?.classList.remove("current");
  current = index;
  row.classList.add("current");
}));

const button = find("#keys");
button.hidden = false;
button.addEventListener("click", keys["?"]);
