"""The style of the HTML report: light, dark, and on paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { color-scheme: light dark; --ink: #1c1f23; --quiet: #565d66; --ground: #ffffff; --panel: #f4f6f8;
  --line: #d5dae0; --link: #0b57b0; --error: #a8160f; --warning: #8a4b00; --notice: #2c5282; --good: #1c6b35; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --quiet: #a4acb6; --ground: #14171a; --panel: #1e2328;
  --line: #3a424b; --link: #8ab8f5; --error: #ff8f87; --warning: #f0b35e; --notice: #92bdf0; --good: #7fd19a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 68rem; padding: 1.5rem; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: clamp(1.3rem, 5vw, 1.8rem); line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 1px solid var(--line); }
h3 { font-size: 1.05rem; margin: 0 0 .3rem; }
a { color: var(--link); overflow-wrap: anywhere; }
a:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { position: static; }
.quiet { color: var(--quiet); } p { margin: .3rem 0; }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .8rem; margin: 1.2rem 0; }
dl.tiles div { background: var(--panel); border: 1px solid var(--line); border-radius: .4rem; padding: .6rem .8rem;
  display: flex; flex-direction: column-reverse; justify-content: flex-end; }
dl.tiles dd { margin: 0; font-size: 1.7rem; font-weight: 600; font-variant-numeric: tabular-nums; }
dl.tiles dt { color: var(--quiet); }
.error { color: var(--error); } .warning { color: var(--warning); } .notice { color: var(--notice); }
.good { color: var(--good); }
.box { background: var(--panel); border: 1px solid var(--line); border-left: .3rem solid var(--notice);
  border-radius: .3rem; padding: .6rem 1rem; margin: 1rem 0; }
.box.partial { border-left-color: var(--warning); }
.table { overflow-x: auto; } table { border-collapse: collapse; width: 100%; margin: .5rem 0; }
caption { text-align: left; color: var(--quiet); padding-bottom: .3rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid var(--line); }
.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
th a { overflow-wrap: break-word; } thead .num { white-space: normal; }
article { border: 1px solid var(--line); border-radius: .4rem; padding: .8rem 1rem; margin: .8rem 0; }
article ol { margin: .5rem 0; padding-left: 1.6rem; } li { overflow-wrap: anywhere; margin: .15rem 0; }
article ul { margin: .1rem 0; padding-left: 1.2rem; color: var(--quiet); }
code { font-size: .9em; } .tag { font-weight: 600; }
@media (max-width: 30rem) { body { padding: 1rem; } .table { font-size: .85rem; }
  th[scope=row] { overflow-wrap: anywhere; min-width: 7rem; } th, td { padding-right: .3rem; } }
@media print { :root { color-scheme: light; --ink: #000; --quiet: #333; --ground: #fff; --panel: #fff; --line: #999;
  --link: #000; --error: #7a0000; --warning: #5c3300; --notice: #102a4c; --good: #0c3d1c; }
  body { max-width: none; padding: 0; font-size: 10pt; } article, dl.tiles div, .box { break-inside: avoid; }
  h2, h3 { break-after: avoid; } .skip { display: none; } }
"""
