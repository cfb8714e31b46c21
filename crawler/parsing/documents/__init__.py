"""Documents that are not HTML, as HTML that says the same: title, headings, text, links, language."""
