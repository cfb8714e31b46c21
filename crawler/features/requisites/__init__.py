"""Fetches the files that browsers need to show a page: pictures, styles, scripts, fonts, icons, media, frames."""
