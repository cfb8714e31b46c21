"""The rules of the audit, in the order of the report. A new rule is a file and a line here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hinterland.library.audit.rule import Rule
from hinterland.library.audit.rules.blocked_linked import BlockedLinked
from hinterland.library.audit.rules.broken_asset import BrokenAsset
from hinterland.library.audit.rules.broken_fragment import BrokenFragment
from hinterland.library.audit.rules.broken_image import BrokenImage
from hinterland.library.audit.rules.broken_link import BrokenLink
from hinterland.library.audit.rules.broken_outside_link import BrokenOutsideLink
from hinterland.library.audit.rules.canonical_broken import CanonicalBroken
from hinterland.library.audit.rules.canonical_chain import CanonicalChain
from hinterland.library.audit.rules.canonical_elsewhere import CanonicalElsewhere
from hinterland.library.audit.rules.dead_end import DeadEnd
from hinterland.library.audit.rules.deep_page import DeepPage
from hinterland.library.audit.rules.description_duplicate import DescriptionDuplicate
from hinterland.library.audit.rules.description_long import DescriptionLong
from hinterland.library.audit.rules.description_missing import DescriptionMissing
from hinterland.library.audit.rules.exact_duplicate import ExactDuplicate
from hinterland.library.audit.rules.h1_long import H1Long
from hinterland.library.audit.rules.h1_missing import H1Missing
from hinterland.library.audit.rules.h1_several import H1Several
from hinterland.library.audit.rules.heading_skipped import HeadingSkipped
from hinterland.library.audit.rules.heavy_image import HeavyImage
from hinterland.library.audit.rules.heavy_page import HeavyPage
from hinterland.library.audit.rules.hreflang_broken import HreflangBroken
from hinterland.library.audit.rules.hreflang_code import HreflangCode
from hinterland.library.audit.rules.hreflang_default import HreflangDefault
from hinterland.library.audit.rules.hreflang_no_return import HreflangNoReturn
from hinterland.library.audit.rules.image_alt import ImageAlt
from hinterland.library.audit.rules.insecure_link import InsecureLink
from hinterland.library.audit.rules.language_differs import LanguageDiffers
from hinterland.library.audit.rules.language_missing import LanguageMissing
from hinterland.library.audit.rules.malformed_link import MalformedLink
from hinterland.library.audit.rules.mixed_content import MixedContent
from hinterland.library.audit.rules.near_duplicate import NearDuplicate
from hinterland.library.audit.rules.noindex_linked import NoindexLinked
from hinterland.library.audit.rules.orphan import Orphan
from hinterland.library.audit.rules.redirect_chain import RedirectChain
from hinterland.library.audit.rules.redirect_loop import RedirectLoop
from hinterland.library.audit.rules.redirected_link import RedirectedLink
from hinterland.library.audit.rules.security_headers import SecurityHeaders
from hinterland.library.audit.rules.several_canonicals import SeveralCanonicals
from hinterland.library.audit.rules.single_inlink import SingleInlink
from hinterland.library.audit.rules.sitemap_blocked import SitemapBlocked
from hinterland.library.audit.rules.sitemap_closed import SitemapClosed
from hinterland.library.audit.rules.sitemap_dead import SitemapDead
from hinterland.library.audit.rules.sitemap_missing import SitemapMissing
from hinterland.library.audit.rules.sitemap_redirected import SitemapRedirected
from hinterland.library.audit.rules.slow_page import SlowPage
from hinterland.library.audit.rules.structured_data_broken import StructuredDataBroken
from hinterland.library.audit.rules.temporary_redirect import TemporaryRedirect
from hinterland.library.audit.rules.title_duplicate import TitleDuplicate
from hinterland.library.audit.rules.title_long import TitleLong
from hinterland.library.audit.rules.title_missing import TitleMissing
from hinterland.library.audit.rules.unchecked_asset import UncheckedAsset
from hinterland.library.audit.rules.unchecked_link import UncheckedLink
from hinterland.library.audit.rules.unchecked_outside_link import UncheckedOutsideLink
from hinterland.library.audit.rules.uncompressed_page import UncompressedPage
from hinterland.library.audit.rules.unreachable_asset import UnreachableAsset
from hinterland.library.audit.rules.unreachable_link import UnreachableLink
from hinterland.library.audit.rules.unreachable_outside_link import UnreachableOutsideLink
from hinterland.library.audit.rules.viewport_missing import ViewportMissing

RULES: Final[Sequence[Rule]] = (
    BrokenLink(),
    UnreachableLink(),
    UncheckedLink(),
    MalformedLink(),
    BrokenFragment(),
    BrokenOutsideLink(),
    UnreachableOutsideLink(),
    UncheckedOutsideLink(),
    RedirectLoop(),
    RedirectChain(),
    TemporaryRedirect(),
    InsecureLink(),
    RedirectedLink(),
    CanonicalBroken(),
    CanonicalChain(),
    CanonicalElsewhere(),
    NoindexLinked(),
    BlockedLinked(),
    SitemapDead(),
    SitemapRedirected(),
    SitemapClosed(),
    SitemapBlocked(),
    SitemapMissing(),
    StructuredDataBroken(),
    SeveralCanonicals(),
    TitleMissing(),
    TitleDuplicate(),
    TitleLong(),
    DescriptionMissing(),
    DescriptionDuplicate(),
    DescriptionLong(),
    H1Missing(),
    H1Several(),
    H1Long(),
    HeadingSkipped(),
    LanguageMissing(),
    LanguageDiffers(),
    HreflangCode(),
    HreflangBroken(),
    HreflangNoReturn(),
    HreflangDefault(),
    ExactDuplicate(),
    NearDuplicate(),
    Orphan(),
    SingleInlink(),
    DeepPage(),
    DeadEnd(),
    BrokenImage(),
    BrokenAsset(),
    UnreachableAsset(),
    UncheckedAsset(),
    ImageAlt(),
    HeavyImage(),
    SlowPage(),
    HeavyPage(),
    UncompressedPage(),
    ViewportMissing(),
    MixedContent(),
    SecurityHeaders(),
)
