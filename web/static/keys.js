// "/" focuses the search box; j and k move between hits. Without this script, links and Tab still work.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.key === "/") {
    const box = document.querySelector("main #q") || document.querySelector("input[name=q]");
    if (!box) return;
    event.preventDefault();
    box.focus();
    box.select();
  } else if (event.key === "j" || event.key === "k") {
    const hits = [...document.querySelectorAll(".hits h2 a")];
    const now = hits.indexOf(document.activeElement);
    const next = hits[event.key === "j" ? Math.min(now + 1, hits.length - 1) : Math.max(now - 1, 0)];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }
});
