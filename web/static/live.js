// Keeps the dashboard up to date. The server sends each section as escaped HTML whenever it changes.
"use strict";

(() => {
  const live = document.getElementById("live");
  const controls = document.getElementById("live-controls");
  const words = document.getElementById("live-words");
  const button = document.getElementById("live-pause");
  const news = document.getElementById("live-news");
  const ANNOUNCE_MS = 30000;
  let source = null;
  let announced = Date.now();

  // Shows whether a crawl is running. The page keeps listening after a crawl has ended, as another may begin.
  function sayWhatIs() {
    const summary = document.querySelector("#live-summary [data-running]");
    const isStarting = summary && summary.dataset.running === "starting";
    const isRunning = !summary || isStarting || summary.dataset.running === "yes";
    say(isStarting ? "starting" : isRunning ? "live" : "no crawl is running", isRunning);
    button.hidden = !isRunning;
  }

  function say(text, isLive) {
    words.textContent = text;
    controls.classList.toggle("is-live", isLive);
  }

  // Replaces a section and preserves open details, the focus and scroll positions.
  function replace(part, html) {
    const open = [...part.querySelectorAll("details[open]")].map((each) => each.id);
    const scrolled = [...part.querySelectorAll(".scroll")].map((each) => each.scrollLeft);
    const focused = part.contains(document.activeElement) ? document.activeElement : null;
    const id = focused && (focused.id || (focused.closest("details") || {}).id);
    const isSummary = focused && focused.tagName === "SUMMARY";
    part.innerHTML = html;
    for (const each of open) {
      const again = each && document.getElementById(each);
      if (again) again.open = true;
    }
    part.querySelectorAll(".scroll").forEach((each, place) => { each.scrollLeft = scrolled[place] || 0; });
    const target = id && document.getElementById(id);
    if (target) (isSummary ? target.querySelector("summary") : target).focus({ preventScroll: true });
  }

  function isBeingRead(part) {
    const selection = document.getSelection();
    return !selection.isCollapsed && part.contains(selection.anchorNode);
  }

  function update(event) {
    const parts = JSON.parse(event.data);
    for (const name of Object.keys(parts)) {
      const part = document.getElementById("live-" + name);
      if (part && !isBeingRead(part)) replace(part, parts[name]);
    }
    sayWhatIs();
    const pages = document.getElementById("kpi-pages");
    if (pages && Date.now() - announced > ANNOUNCE_MS) {
      announced = Date.now();
      news.textContent = pages.textContent + " pages fetched";
    }
  }

  function listen() {
    source = new EventSource(live.dataset.events);
    source.onopen = sayWhatIs;
    source.onmessage = update;
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) say("not live: too many dashboards are open", false);
      else say("reconnecting", false);
    };
  }

  function hush() {
    if (source) source.close();
    source = null;
  }

  button.addEventListener("click", () => {
    const isPaused = source !== null;
    if (isPaused) { hush(); say("updates are paused", false); } else { say("connecting", false); listen(); }
    button.setAttribute("aria-pressed", String(isPaused));
    button.textContent = isPaused ? "Resume updates" : "Pause updates";
  });
  window.addEventListener("pagehide", hush);
  window.addEventListener("pageshow", (event) => {
    if (event.persisted && button.getAttribute("aria-pressed") === "false") listen();
  });
  controls.hidden = false;
  document.getElementById("live-reloads").hidden = document.querySelector("meta[http-equiv=refresh]") === null;
  listen();
})();
