from __future__ import annotations

from hinterland.crawler.features.rendering.shadow_roots import opened


def test_what_a_shadow_root_shows_stands_in_its_element() -> None:
    html = '<x-a><template shadowrootmode="open"><a href="/b">b</a></template></x-a>'
    assert opened(html) == '<x-a><div><a href="/b">b</a></div></x-a>'


def test_other_templates_stay_shut_inside_and_outside() -> None:
    html = (
        '<template id="t"><i></i></template><x-a><template shadowrootmode="open"><template><b></b></template>'
        '<x-b><template shadowrootmode="open" shadowrootclonable="">c</template></x-b></template></x-a>'
    )
    assert opened(html) == (
        '<template id="t"><i></i></template><x-a><div><template><b></b></template><x-b><div>c</div></x-b></div></x-a>'
    )


def test_ends_without_a_beginning_do_no_harm() -> None:
    html = '</template><template shadowrootmode="open">a</template></template>'
    assert opened(html) == "</template><div>a</div></template>"
