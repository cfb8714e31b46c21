// Answers by single keys. Without this script, the buttons, Tab and Enter still work.
"use strict";

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  const button = document.querySelector(`#answers [data-key="${CSS.escape(event.key.toLowerCase())}"]`);
  if (!button || button.disabled) return;
  event.preventDefault();
  button.click();
});

// Disables the buttons after an answer, so that a second key does not answer the same page.
document.getElementById("answers")?.addEventListener("submit", () => {
  setTimeout(() => document.querySelectorAll("#answers button").forEach((each) => { each.disabled = true; }));
});

// Enables the buttons when the page is restored from the back/forward cache.
window.addEventListener("pageshow", () => {
  document.querySelectorAll("#answers button").forEach((each) => { each.disabled = false; });
});
