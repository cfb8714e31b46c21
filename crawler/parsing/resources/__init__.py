"""The references of pages and style sheets to the resources that a browser loads with them."""
