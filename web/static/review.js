// Answers by one key. Without this the buttons are there, and Tab and Enter.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const button = document.querySelector(`#answers [data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

// A second key before the next page is there must not be an answer to this one.
document.getElementById("answers")?.addEventListener("submit", () => {
  setTimeout(() => document.querySelectorAll("#answers button").forEach((each) => { each.disabled = true; }));
});

// A page that comes back from the browser's memory can be answered again.
window.addEventListener("pageshow", () => {
  document.querySelectorAll("#answers button").forEach((each) => { each.disabled = false; });
});
