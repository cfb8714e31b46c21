"""Fetches what pages need to be shown: pictures, styles, scripts, fonts, icons, media, frames."""
