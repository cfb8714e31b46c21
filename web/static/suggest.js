// Suggestions below the search box: a combobox with a listbox (WAI-ARIA Authoring Practices). Without this script, the box is a plain search box.
"use strict";

(() => {
  const input = document.querySelector("form[role=search] input[name=q]");
  if (!input) return;
  const WAIT_MS = 80;
  const list = document.createElement("ul");
  list.id = "suggestions";
  list.className = "suggestions";
  list.hidden = true;
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Suggestions");
  const news = document.createElement("div");
  news.className = "unseen";
  news.setAttribute("role", "status");
  input.after(list, news);
  for (const [name, value] of Object.entries({
    role: "combobox", "aria-autocomplete": "list", "aria-expanded": "false", "aria-controls": list.id,
  })) input.setAttribute(name, value);
  let typed = input.value;
  let active = -1;
  let timer = 0;
  let request = null;

  function close() {
    list.hidden = true;
    active = -1;
    input.setAttribute("aria-expanded", "false");
    input.removeAttribute("aria-activedescendant");
  }

  // Crawled text is hostile: it is inserted as text, never as HTML.
  function show(phrases) {
    list.replaceChildren(...phrases.map((phrase, place) => {
      const option = document.createElement("li");
      option.id = "suggestion-" + place;
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const text = document.createElement("bdi");
      text.textContent = phrase;
      option.append(text);
      return option;
    }));
    active = -1;
    input.removeAttribute("aria-activedescendant");
    list.hidden = phrases.length === 0;
    input.setAttribute("aria-expanded", String(!list.hidden));
    news.textContent = phrases.length ? phrases.length + (phrases.length === 1 ? " suggestion" : " suggestions") : "";
  }

  async function ask() {
    if (request) request.abort();
    const asking = request = new AbortController();
    try {
      const answer = await fetch(new URL("suggest?q=" + encodeURIComponent(typed), input.form.action), { signal: asking.signal });
      if (!answer.ok) return;
      const phrases = (await answer.json())[1];
      if (asking === request && document.activeElement === input) show(phrases);
    } catch (error) {
      if (error.name !== "AbortError") close();
    }
  }

  function mark(place) {
    const options = list.children;
    if (active >= 0) options[active].setAttribute("aria-selected", "false");
    active = place;
    if (active < 0) {
      input.removeAttribute("aria-activedescendant");
      input.value = typed;
      return;
    }
    options[active].setAttribute("aria-selected", "true");
    options[active].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[active].id);
    input.value = options[active].textContent;
  }

  input.addEventListener("input", (event) => {
    if (event.isComposing) return;
    typed = input.value;
    clearTimeout(timer);
    if (!typed.trim()) { if (request) request.abort(); close(); return; }
    timer = setTimeout(ask, WAIT_MS);
  });
  input.addEventListener("keydown", (event) => {
    if (event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    const count = list.hidden ? 0 : list.children.length;
    if (event.key === "Escape" && count) {
      event.preventDefault();
      mark(-1);
      close();
    } else if (count && event.key === "ArrowDown") {
      event.preventDefault();
      mark(active + 1 === count ? -1 : active + 1);
    } else if (count && event.key === "ArrowUp") {
      event.preventDefault();
      mark(active < 0 ? count - 1 : active - 1);
    }
  });
  input.addEventListener("blur", close);
  list.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const option = event.target.closest("[role=option]");
    if (!option) return;
    input.value = option.textContent;
    close();
    input.form.requestSubmit();
  });
})();
