// Keyboard shortcuts, live filters and copy buttons. All pages work without this script.
"use strict";

const find = (selector) => document.querySelector(selector);
const rows = () => [...document.querySelectorAll("[data-rows] tbody tr")].filter((row) => row.querySelector("[data-open]"));
const current = () => rows().findIndex((row) => row.classList.contains("current"));

function mark(row) {
  find("tr.current")?.classList.remove("current");
  row?.classList.add("current");
}

function select(index) {
  const all = rows();
  const row = all[Math.max(0, Math.min(all.length - 1, index))];
  mark(row);
  row?.querySelector("[data-open]").focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

function pick() {
  const box = find("tr.current input[type=checkbox]");
  if (box) box.checked = !box.checked;
}

// Moves to the next or the previous call that differs.
let at = -1;
function difference(step) {
  const all = [...document.querySelectorAll("[data-difference]")];
  if (all.length === 0) return;
  at = Math.max(0, Math.min(all.length - 1, at + step));
  unfold(all[at]);
  all[at].tabIndex = -1;
  all[at].focus({ preventScroll: true });
  all[at].scrollIntoView({ block: "center" });
}

// Unfolds everything around an element.
function unfold(element) {
  for (let it = element; it; it = it.parentElement) if (it instanceof HTMLDetailsElement) it.open = true;
}

const keys = {
  j: () => select(current() + 1),
  k: () => select(current() - 1),
  n: () => find("[data-next]")?.click(),
  p: () => find("[data-previous]")?.click(),
  u: () => find("[data-up]")?.click(),
  d: () => difference(1),
  D: () => difference(-1),
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

document.addEventListener("focusin", (event) => {
  const row = event.target.closest("[data-rows] tbody tr");
  if (row?.querySelector("[data-open]")) mark(row);
});

// Applies a filter while it is typed: fetches the list from the address that the button leads to.
for (const form of document.querySelectorAll("form[data-live]")) {
  let waiting;
  let asked = 0;
  const apply = async () => {
    const number = (asked += 1);
    const address = new URL(form.action);
    address.search = new URLSearchParams([...new FormData(form)].filter(([, value]) => value !== "")).toString();
    try {
      const answer = await fetch(address);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const list = page.querySelector(form.dataset.live);
      if (number !== asked || !answer.ok || !list) return;
      find(form.dataset.live).replaceWith(list);
      history.replaceState(null, "", address);
    } catch {
      // The reader is leaving the page, or the viewer has stopped; the button still works.
    }
  };
  form.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 200);
  });
  form.addEventListener("submit", () => clearTimeout(waiting));
}

// Fetches a run in progress again until it is finished and has its final page.
if (find("[data-refresh]")) {
  const refresh = async () => {
    try {
      const answer = await fetch(location.href);
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const now = page.querySelector("[data-refresh]");
      if (!answer.ok || !now) return location.reload();
      const then = find("[data-refresh]");
      const at = then.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
      then.replaceWith(now);
      if (at) now.querySelector(`a[href="${CSS.escape(at)}"]`)?.focus({ preventScroll: true });
    } catch {
      // The viewer may start again.
    }
    setTimeout(refresh, 2000);
  };
  setTimeout(refresh, 2000);
}

for (const text of document.querySelectorAll("[data-copy]")) {
  if (!navigator.clipboard) break;
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text.textContent);
    copy.textContent = "Copied";
  });
  text.before(copy);
}

// If the address names a call, shows it.
const named = location.hash && document.getElementById(location.hash.slice(1));
if (named) unfold(named);

const button = find("#keys");
button.hidden = false;
button.addEventListener("click", keys["?"]);
