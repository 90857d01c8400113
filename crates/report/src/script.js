"use strict";
(() => {
  document.documentElement.classList.add("scripting");
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const tip = document.createElement("div");
  tip.id = "tip";
  document.body.append(tip);

  // Hover: the titles of marks, at once and next to the pointer.
  document.addEventListener("pointermove", (event) => {
    const mark = event.target.closest && event.target.closest("svg *");
    const title = mark && (mark.dataset.tip || (mark.querySelector(":scope > title") || {}).textContent);
    tip.textContent = title || "";
    if (!title) return;
    const own = mark.querySelector(":scope > title");
    if (own) { mark.dataset.tip = title; own.remove(); }
    const { innerWidth: wide, innerHeight: high } = window;
    tip.style.left = Math.min(event.clientX + 14, wide - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 14, high - tip.offsetHeight - 8) + "px";
  });

  const copy = (button) => {
    const text = button.dataset.copy;
    const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  };

  // Sorting: numbers by their exact values, empty cells last.
  const key = (row, column, numeric) => {
    const cell = row.cells[column];
    const text = "s" in cell.dataset ? cell.dataset.s : cell.textContent;
    if (!numeric) return text;
    return text.trim() === "" ? NaN : Number(text);
  };
  const sort = (head) => {
    const table = head.closest("table"), column = head.cellIndex, numeric = "n" in head.dataset;
    const down = head.getAttribute("aria-sort") === "ascending";
    all("thead th", table).forEach((one) => one.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const compare = (a, b) => {
      const x = key(a, column, numeric), y = key(b, column, numeric);
      if (!numeric) return x.localeCompare(y) * (down ? -1 : 1);
      if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y);
      return (x - y) * (down ? -1 : 1);
    };
    const body = table.tBodies[0];
    body.append(...[...body.rows].sort(compare));
  };

  const filter = (input) => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const table = document.getElementById(input.dataset.filter);
    let found = 0;
    for (const row of table.tBodies[0].rows) {
      const text = row.textContent.toLowerCase();
      const cells = [...row.cells].map((cell) => cell.textContent.toLowerCase());
      const fits = words.every((word) => (word.startsWith("#") ? cells.includes(word) : text.includes(word)));
      row.hidden = !fits;
      found += fits;
    }
    input.closest("p").querySelector(".found").textContent = words.length ? `${found} of ${table.tBodies[0].rows.length}` : "";
  };

  // Brushing: a range on each axis of the parallel coordinates.
  const ranges = new Map();
  const choose = (svg) => {
    const lines = all(".pc", svg);
    let kept = 0;
    for (const line of lines) {
      const values = line.dataset.v.split(",").map((value) => (value === "" ? NaN : Number(value)));
      const fits = [...ranges].every(([axis, [low, high]]) => values[axis] >= low && values[axis] <= high);
      line.classList.toggle("off", !fits);
      kept += fits;
    }
    const text = svg.parentElement.querySelector(".selection");
    text.textContent = ranges.size ? `${kept} of ${lines.length} configurations selected. Click an axis to clear it.`
      : "Drag along an axis to select configurations; click it to clear.";
  };
  const mark = (brush, low, high) => {
    const shown = brush.nextElementSibling, y = Number(brush.getAttribute("y")), size = Number(brush.getAttribute("height"));
    shown.setAttribute("y", y + size * (1 - high));
    shown.setAttribute("height", size * (high - low));
  };
  let drag = null;
  const position = (brush, event) => {
    const box = brush.getBoundingClientRect();
    return Math.max(0, Math.min(1, 1 - (event.clientY - box.top) / box.height));
  };
  document.addEventListener("pointerdown", (event) => {
    if (!event.target.classList || !event.target.classList.contains("brush")) return;
    drag = { brush: event.target, from: position(event.target, event) };
    event.preventDefault();
  });
  document.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const to = position(drag.brush, event);
    mark(drag.brush, Math.min(drag.from, to), Math.max(drag.from, to));
  });
  document.addEventListener("pointerup", (event) => {
    if (!drag) return;
    const { brush, from } = drag, to = position(brush, event), axis = Number(brush.dataset.axis);
    drag = null;
    if (Math.abs(to - from) < 0.02) { ranges.delete(axis); mark(brush, 0, 0); } else { ranges.set(axis, [Math.min(from, to), Math.max(from, to)]); }
    choose(brush.ownerSVGElement);
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) return copy(button);
    const head = event.target.closest(".sortable thead th");
    if (head) return sort(head);
    const row = event.target.closest("#trials-table tbody tr");
    if (!row) return;
    all("tr.chosen").forEach((one) => one.classList.remove("chosen"));
    row.classList.add("chosen");
    const rerun = document.getElementById("rerun");
    rerun.dataset.form = rerun.dataset.form || rerun.textContent;
    rerun.textContent = rerun.dataset.form.replace(/TRIAL$/, row.dataset.trial);
  });
  document.addEventListener("input", (event) => {
    if (event.target.dataset.filter) filter(event.target);
  });

  // Navigation: the page in view.
  const seen = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      const link = document.querySelector(`nav a[href="#${entry.target.id}"]`);
      if (link) link.classList.toggle("here", entry.isIntersecting);
    }
  }, { rootMargin: "-30% 0px -60% 0px" });
  const watch = () => all("section").forEach((section) => seen.observe(section));
  watch();

  // Live: the server says what is new; the pages are fetched again when they have changed.
  const live = document.body.dataset.live;
  if (live === undefined || live === "") return;
  const status = document.getElementById("live"), main = document.getElementById("main");
  let drawn = null, busy = false;
  const refresh = async (version) => {
    if (busy || version === drawn) return;
    busy = true;
    try {
      const answer = await fetch(`/c/${live}/body`);
      if (answer.ok) {
        const old = document.querySelector("[data-filter]"), value = old ? old.value : "";
        const parsed = new DOMParser().parseFromString(await answer.text(), "text/html");
        main.replaceChildren(...parsed.body.childNodes);
        watch();
        const input = document.querySelector("[data-filter]");
        if (input && value) { input.value = value; filter(input); }
        const parallel = document.querySelector(".parallel");
        if (parallel) {
          for (const brush of all(".brush", parallel)) {
            const range = ranges.get(Number(brush.dataset.axis));
            if (range) mark(brush, ...range);
          }
          choose(parallel);
        }
        drawn = version;
      }
    } finally { busy = false; }
  };
  const source = new EventSource(`/c/${live}/events`);
  source.addEventListener("state", (event) => {
    const state = JSON.parse(event.data);
    status.textContent = state.text;
    refresh(state.version);
  });
  source.addEventListener("error", () => { status.textContent = "not connected: the server has stopped, or the connection was lost"; });
})();
