"""Letters: what is written in one way is found when it is typed in another, in twelve scripts."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hinterland.search.store.indexed_text import IndexedText
from hinterland.search.store.letters import plain_letters, plain_letters_with_places
from hinterland.search.store.term_index import TermIndex
from hinterland.search.store.values.term_query import TEXT_FIELDS, QueryTerm, TermQuery
from hinterland.search.vocabulary import words_in

ALIKE = dict.fromkeys(TEXT_FIELDS, 1.0)
LANGUAGES = ("de", "ru", "el", "ar", "tr")

FOUND = (
    # Latin: (language of the page, what it says, what is typed)
    ("tr", "İstanbul", "istanbul"),
    ("x", "İzmir", "izmir"),
    ("tr", "DİYARBAKIR", "diyarbakir"),
    ("x", "Iğdır", "igdir"),
    ("x", "Łódź", "lodz"),
    ("x", "Đà Nẵng", "da nang"),
    ("x", "Reykjavi\u0301k", "reykjavík"),
    ("de", "Straße", "strasse"),
    ("x", "Cæsar", "caesar"),
    ("x", "Hawaiʻi", "Hawai'i"),
    ("x", "donʼt", "don't"),
    ("x", "naïve", "naive"),
    ("x", "Zu\u00adsam\u00admen\u00adhang", "Zusammenhang"),
    ("x", "Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
    # Greek
    ("el", "Αθήνα", "αθηνα"),
    ("x", "Αθήνα", "ΑΘΗΝΑ"),
    ("x", "ὁδός", "οδος"),
    ("x", "ΟΔΥΣΣΕΥΣ", "Οδυσσεύς"),
    ("x", "Μάϊος", "μαιος"),
    ("x", "Ἀθῆναι", "Αθηναι"),
    # Cyrillic
    ("ru", "за\u0301мок", "замок"),
    ("x", "ко\u0301фе", "кофе"),
    ("ru", "ёжик", "ежик"),
    ("x", "Ёлка", "елка"),
    ("x", "Київ", "київ"),
    ("x", "Зелёный", "зеленый"),
    ("x", "Йод", "йод"),
    ("x", "п’єса", "п'єса"),
    # Hebrew
    ("x", "שָׁלוֹם", "שלום"),
    ("x", "יְרוּשָׁלַיִם", "ירושלים"),
    ("x", "\ufb2a\u05d9\u05e8", "שיר"),
    ("x", "בֵּית־סֵפֶר", "בית ספר"),
    # Arabic
    ("ar", "كِتَابٌ", "كتاب"),
    ("x", "کتابخانه", "كتابخانه"),
    ("x", "ايران", "ایران"),
    ("x", "على", "علي"),
    ("x", "مـــدرسة", "مدرسة"),
    ("x", "أحمد", "احمد"),
    ("x", "می‌خواهم", "میخواهم"),
    ("x", "سال ۱۴۰۲", "1402"),
    ("x", "٢٠٢٦", "2026"),
    ("x", "القُرآن", "القران"),
    # Japanese, Chinese
    ("x", "ﾊﾟｿｺﾝ", "パソコン"),
    ("x", "カ\u3099イド", "ガイド"),
    ("x", "ｶﾞｲﾄﾞﾌﾞｯｸ", "ガイドブック"),
    ("x", "東京タワー", "東京"),
    ("x", "１２３番", "123"),
    ("x", "北京大学", "大学"),
    ("x", "上海\uff0c中国", "中国"),
    # Thai, Lao, Burmese, Khmer: signs in a row
    ("x", "ภาษาไทย", "ไทย"),
    ("x", "กรุงเทพมหานคร", "กรุงเทพ"),
    ("x", "ພາສາລາວ", "ລາວ"),
    ("x", "မြန်မာဘာသာ", "ဘာသာ"),
    ("x", "ရန်ကုန်မြို့", "မြို့"),
    ("x", "ភាសាខ្មែរ", "ភាសា"),
    # Korean, Devanagari, Georgian, Armenian
    ("x", "\u1112\u1161\u11ab\u1100\u116e\u11a8", "한국"),
    ("x", "서울 지하철", "지하철"),
    ("x", "हिन्दी भाषा", "हिन्दी"),
    ("x", "क\u093cलम", "\u0958लम"),
    ("x", "თბილისი", "თბილისი"),
    ("x", "Երևան", "երևան"),
)


@pytest.fixture(scope="module")
def terms(tmp_path_factory: pytest.TempPathFactory) -> TermIndex:
    index = TermIndex.create(tmp_path_factory.mktemp("letters"), LANGUAGES)
    at = "http://a.example"
    index.write(
        IndexedText(page, 0, language, 0.0, f"{at}/{page}", at, "a.example", [("body", text, 1)])
        for page, (language, text, _) in enumerate(FOUND)
    )
    index.close()
    return index


@pytest.mark.parametrize("page", range(len(FOUND)), ids=[f"{text}-{typed}" for _, text, typed in FOUND])
def test_what_is_typed_finds_what_is_written(terms: TermIndex, page: int) -> None:
    language, text, typed = FOUND[page]
    query = TermQuery(tuple(map(QueryTerm, typed.split())))
    assert page in terms.best(query, ALIKE, 100).pages.tolist()
    shown = terms.highlighted(query, text, "body", language)
    assert any(is_match for _, is_match in shown)
    assert "".join(piece for piece, _ in shown) == unicodedata.normalize("NFC", text).replace("\u00ad", "")


def test_other_letters_stay_apart(terms: TermIndex) -> None:
    for typed in ("иод", "киiв", "замки", "καθηνα"):
        assert not terms.best(TermQuery((QueryTerm(typed),)), ALIKE, 10).total, typed


def test_words_for_corrections_are_not_parted_by_marks() -> None:
    assert words_in("İstanbul за\u0301мок שָׁלוֹם") == ["istanbul", "замок", "שלום"]


@given(st.text(alphabet=st.characters(codec="utf-16"), max_size=30))
def test_every_plain_letter_knows_where_it_comes_from(text: str) -> None:
    composed = unicodedata.normalize("NFC", text)
    plain, places = plain_letters_with_places(composed)
    assert len(places) == len(plain) + 1
    assert places == sorted(places)
    assert places[-1] == len(composed)


@given(st.text(max_size=30))
def test_letters_are_plain_after_the_first_time(text: str) -> None:
    once = plain_letters(text)
    assert plain_letters(once) == once
