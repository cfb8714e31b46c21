"""The content of the demo web: the dozen hosts of Averna, a fictional archipelago.

Every host is a function that yields its pages. Texts are composed from the tables here by a random choice with a fixed
seed, so each run of the demo serves the same web.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from random import Random
from unicodedata import normalize

from hinterland.cli.demo.declarations import DemoFile, DemoHost, DemoPage, DemoSection, Item, Link, Place, Redirect

SEED = 1838  # the year in which the first lamp on Lantern Rock was lit

# The islands and their people

ISLANDS: Mapping[str, str] = {
    "Averna": "the largest island, with the only town and the only traffic light",
    "Brightholm": "green to the cliffs, known for its sheep and its long evenings",
    "Corrie": "a bowl of hills around a freshwater loch",
    "Dunlin": "flat as a plate and full of waders in spring",
    "Eskmere": "two islands at high tide, one at low",
    "Farrow": "the farmers' island, where the barley grows",
    "Gannet Isle": "forty thousand birds and one patient warden",
    "Inverlark": "the old whaling station, now a row of painted houses",
    "Kettle": "named for the whirlpool that sings at spring tide",
    "Lantern Rock": "a lighthouse, a boat slip and very little else",
    "Morwen": "birch woods, bees and the university's field station",
    "Tarn Skerry": "the last land before the open ocean",
}
PEOPLE = (
    *("Ada Brackwater", "Bram Oystercatch", "Cora Lindqvist", "Davin Marsh", "Effie Tolland", "Finn Harrow"),
    *("Greta Solheim", "Hamish Quill", "Isla Penhallow", "Jonas Reed", "Kirsten Vale", "Lorne Abbot"),
    *("Maren Thrift", "Niall Corbie", "Odile Samphire", "Per Stenness"),
)
WEATHER = (
    "The glass fell all morning and the wind backed into the south-west.",
    "Fog lay in the sound until noon, then lifted as if someone had drawn a curtain.",
    "Showers, bright spells, and between them the kind of light that painters come for.",
    "A dry northerly, with visibility beyond the outer skerries.",
    "The swell came in long and slow from a storm that never reached us.",
    "Hail at breakfast, sunshine at lunch, and a double rainbow for the evening boat.",
    "Not a breath of wind; the smoke from the kippering sheds stood straight up.",
)
REMARKS = (
    "Those who know the islands will not be surprised.",
    "It has been so since anyone wrote things down.",
    "Opinions on this differ between the east and the west side.",
    "Bring a coat, whatever the sky looks like.",
    "Ask at the post office if in doubt.",
    "The tide, as ever, has the last word.",
    "Children are welcome and dogs are expected.",
    "Nobody has measured it, but everybody agrees.",
    "The old people tell it differently, and better.",
    "A kettle is always on.",
    "You can see three lighthouses from here on a clear night.",
    "The story is longer than this page allows.",
)


def slug(name: str) -> str:
    """Return a name as it appears in a path: letters and digits of ASCII, joined by hyphens."""
    plain = normalize("NFKD", name.lower()).encode("ascii", "ignore").decode()
    return "-".join(re.findall("[a-z0-9]+", plain))


def sentences(choose: Random, pool: Sequence[str], most: int = 3) -> list[str]:
    """Return one to `most` sentences of a pool, chosen at random."""
    return choose.sample(pool, choose.randint(1, min(most, len(pool))))


def to_island(island: str) -> Link:
    """Return the link to an island's page in the atlas."""
    return Link(("atlas.example", f"/islands/{slug(island)}"), island)


def front(host: str) -> Place:
    """Return the front page of a host."""
    return (host, "/")


# The atlas: a hub that everybody links to

ATLAS = "atlas.example"


def atlas(choose: Random) -> Iterator[Item]:
    """Yield the pages of the atlas, which links to every host."""
    everywhere = [Link(front(host), about.title) for host, about in HOSTS.items() if host != ATLAS]
    yield DemoPage(
        front(ATLAS),
        "The Atlas of Averna",
        [
            DemoSection("", ["Twelve islands, nine hundred people and a great deal of weather.", REMARKS[1]]),
            DemoSection("Islands", links=[to_island(island) for island in ISLANDS]),
            DemoSection(
                "Start here",
                links=[Link((ATLAS, "/directory"), "Directory of the islands' web"), *everywhere[:4]],
            ),
        ],
    )
    yield DemoPage(
        (ATLAS, "/directory"),
        "Directory of the islands' web",
        [
            DemoSection(
                "",
                ["Every site kept on the islands, looked after by hand since there were two of them."],
            ),
            DemoSection("Sites", links=everywhere),
            DemoSection("Elsewhere", links=[Link(front("mainland.example"), "The mainland (a long way off)")]),
        ],
    )
    for island, description in ISLANDS.items():
        neighbours = choose.sample([other for other in ISLANDS if other != island], 3)
        yield DemoPage(
            (ATLAS, f"/islands/{slug(island)}"),
            island,
            [
                DemoSection("", [f"{island} is {description}.", *sentences(choose, REMARKS)]),
                DemoSection(
                    "Getting there",
                    ["The boat calls on most days."],
                    [
                        Link((FERRY, f"/ports/{slug(island)}"), f"Ferry port of {island}"),
                        Link((WEATHER_STATION, f"/stations/{slug(island)}"), f"Weather on {island}"),
                    ],
                ),
                DemoSection("Neighbours", links=[to_island(other) for other in neighbours]),
                DemoSection("Back", links=[Link(front(ATLAS), "All islands")]),
            ],
        )
    yield Redirect((ATLAS, "/home"), front(ATLAS))
    yield Redirect((ATLAS, "/boats"), (FERRY, "/timetable"), 302)


# The ferry company

FERRY = "ferry.example"
ROUTES = (
    *(("Averna", other) for other in ISLANDS if other != "Averna"),
    *(("Brightholm", "Corrie"), ("Dunlin", "Eskmere"), ("Farrow", "Morwen"), ("Kettle", "Tarn Skerry")),
)


def route(a: str, b: str) -> Link:
    """Return the link to the ferry route between two islands."""
    return Link((FERRY, f"/routes/{slug(a)}-{slug(b)}"), f"{a} to {b}")


def ferry(choose: Random) -> Iterator[Item]:
    """Yield the pages of the ferry company: chains of redirects, a noindex page, and forbidden pages."""
    yield DemoPage(
        front(FERRY),
        "Averna Ferry Company",
        [
            DemoSection(
                "",
                ["Three boats, sixteen routes, one timetable.", "We sail when we can see the harbour wall."],
            ),
            DemoSection(
                "Plan your crossing",
                links=[
                    Link((FERRY, "/timetable"), "Timetable"),
                    Link((FERRY, "/fares"), "Fares"),
                    Link((FERRY, "/old-timetable"), "Last year's timetable"),
                    Link((FERRY, "/booking/new"), "Book a crossing"),
                    Link((FERRY, "/wheelhouse"), "View from the wheelhouse"),
                ],
            ),
            DemoSection("Conditions", links=[Link(front(WEATHER_STATION), "Weather at sea")]),
        ],
    )
    yield DemoPage((FERRY, "/timetable"), "Timetable", [DemoSection("Routes", links=[route(a, b) for a, b in ROUTES])])
    yield Redirect((FERRY, "/old-timetable"), (FERRY, "/older-timetable"), 301)
    yield Redirect((FERRY, "/older-timetable"), (FERRY, "/timetable"), 308)
    yield DemoPage(
        (FERRY, "/fares"),
        "Fares",
        [
            DemoSection("", ["Islanders travel at half fare; bicycles, hens and musical instruments travel free."]),
            DemoSection("", links=[Link((FERRY, "/timetable"), "Timetable")]),
        ],
        headers={"X-Robots-Tag": "noindex"},
    )
    yield DemoPage((FERRY, "/booking/new"), "Book a crossing", [DemoSection("", ["Choose a boat and a day."])])
    yield from routes_and_ports(choose)
    yield Redirect((FERRY, "/wheelhouse"), ("mainland.example", "/cameras/averna"), 302)


def routes_and_ports(choose: Random) -> Iterator[Item]:
    """Yield a page for each ferry route and each port."""
    for a, b in ROUTES:
        minutes = choose.randint(3, 24) * 5
        yield DemoPage(
            (FERRY, f"/routes/{slug(a)}-{slug(b)}"),
            f"{a} to {b}",
            [
                DemoSection(
                    "",
                    [f"The crossing takes {minutes} minutes in fair weather.", *sentences(choose, REMARKS)],
                ),
                DemoSection(
                    "Ports",
                    links=[Link((FERRY, f"/ports/{slug(island)}"), f"Port of {island}") for island in (a, b)],
                ),
            ],
        )
    for island in ISLANDS:
        calls = [route(a, b) for a, b in ROUTES if island in (a, b)]
        yield DemoPage(
            (FERRY, f"/ports/{slug(island)}"),
            f"Port of {island}",
            [
                DemoSection(
                    "",
                    [f"The pier of {island} has a shelter, a bench and a bell.", *sentences(choose, REMARKS)],
                ),
                DemoSection("Boats from here", links=calls),
                DemoSection("Ashore", links=[to_island(island), Link(front(INN), "Find a bed")]),
            ],
        )


# The museum

MUSEUM = "museum.example"
ROOMS = {
    "Boats": (
        "a clinker dinghy",
        "a tiller carved as a seal",
        "a pilot's whistle",
        "the figurehead of the Morning Star",
    ),
    "Lights": (
        "a Fresnel lens",
        "a wick trimmer",
        "a keeper's log of 1871",
        "the first lamp of Lantern Rock",
    ),
    "Kitchens": ("a bannock stone", "a butter churn", "a kettle mended eleven times", "a sieve of horsehair"),
    "Whales": ("a harpoon gun", "a scrimshaw tooth", "a try-pot", "a whaler's song book"),
    "Letters": (
        "a letter in a bottle",
        "the postmaster's scales",
        "a stamp printed upside down",
        "a map drawn from memory",
    ),
    "Weather": (
        "a storm glass",
        "a barograph",
        "a wind vane shaped like a ling",
        "a rain gauge made of a churn",
    ),
}
OBJECTS = [(room, thing[0].upper() + thing[1:]) for room, things in ROOMS.items() for thing in things]


def exhibit(number: int) -> Link:
    """Return the link to an object of the museum."""
    return Link((MUSEUM, f"/objects/{number}"), OBJECTS[number - 1][1])


def museum(choose: Random) -> Iterator[Item]:
    """Yield the pages of the museum. Some have a print version, whose canonical page they are."""
    rooms = [Link((MUSEUM, f"/rooms/{slug(room)}"), f"Room of {room}") for room in ROOMS]
    yield DemoPage(
        front(MUSEUM),
        "Averna Museum",
        [
            DemoSection("", ["Six rooms in the old customs house.", "Everything here was once used by somebody."]),
            DemoSection("Rooms", links=rooms),
            DemoSection("Visit us", links=[Link((MUSEUM, "/visit"), "Hours and how to find us"), to_island("Averna")]),
        ],
    )
    yield DemoPage(
        (MUSEUM, "/visit"),
        "Visit us",
        [
            DemoSection("", ["Open when the flag is up.", "The museum cat is not an exhibit."]),
            DemoSection(
                "",
                links=[Link((FERRY, "/ports/averna"), "The ferry pier"), Link(front(INN), "Where to stay")],
            ),
        ],
    )
    for room in ROOMS:
        numbers = [number for number, (where, _) in enumerate(OBJECTS, 1) if where == room]
        yield DemoPage(
            (MUSEUM, f"/rooms/{slug(room)}"),
            f"Room of {room}",
            [
                DemoSection("", sentences(choose, REMARKS)),
                DemoSection("Objects", links=[exhibit(n) for n in numbers]),
            ],
        )
    for number, (room, thing) in enumerate(OBJECTS, 1):
        beside = [exhibit(choose.randint(1, len(OBJECTS))), to_island(choose.choice([*ISLANDS]))]
        more = [
            Link((MUSEUM, f"/rooms/{slug(room)}"), f"Back to the room of {room}"),
            essay(choose.randrange(len(ESSAYS))),
        ]
        printed = Link((MUSEUM, f"/objects/{number}?view=print"), "To print")
        has_printed_page = number % 4 == 0
        page = DemoPage(
            exhibit(number).target,
            thing,
            [
                DemoSection("", [f"{thing}, given by {choose.choice(PEOPLE)}.", *sentences(choose, REMARKS)]),
                DemoSection("Seen beside it", links=beside),
                DemoSection("More", links=[*more, printed] if has_printed_page else more),
            ],
        )
        yield page
        if has_printed_page:
            yield DemoPage(printed.target, page.title, page.sections, canonical=page.place)


# The weather station

WEATHER_STATION = "weather.example"
FIRST_REPORT = date(2023, 3, 1)
REPORTS = 24


def report(day: int) -> Link:
    """Return the link to the weather report of a day."""
    when = FIRST_REPORT + timedelta(days=day)
    return Link((WEATHER_STATION, f"/reports/{when.isoformat()}"), f"Report of {when:%d %B %Y}")


def weather(choose: Random) -> Iterator[Item]:
    """Yield the pages of the weather station, and its table of readings."""
    yield DemoPage(
        front(WEATHER_STATION),
        "Averna Weather Station",
        [
            DemoSection("", ["Read at six, noon and six since 1881.", choose.choice(WEATHER)]),
            DemoSection("Latest", links=[report(REPORTS - 1), report(REPORTS - 2)]),
            DemoSection(
                "Stations",
                links=[Link((WEATHER_STATION, f"/stations/{slug(island)}"), f"Station {island}") for island in ISLANDS],
            ),
            DemoSection("Data", links=[Link((WEATHER_STATION, "/readings.csv"), "All readings as a table")]),
        ],
    )
    for island in ISLANDS:
        yield DemoPage(
            (WEATHER_STATION, f"/stations/{slug(island)}"),
            f"Station {island}",
            [
                DemoSection("", [f"{choose.randint(1, 9) * 7} metres above the sea.", choose.choice(WEATHER)]),
                DemoSection("Reports", links=[report(day) for day in sorted(choose.sample(range(REPORTS), 3))]),
                DemoSection("Island", links=[to_island(island)]),
            ],
        )
    for day in range(REPORTS):
        around = [report(other) for other in (day - 1, day + 1) if 0 <= other < REPORTS]
        yield DemoPage(
            report(day).target,
            report(day).text,
            [
                DemoSection("", sentences(choose, WEATHER)),
                DemoSection("Days before and after", links=around),
                DemoSection("Because of it", links=[Link((FERRY, "/timetable"), "Are the boats sailing?")]),
            ],
            next=report(day + 1).target if day + 1 < REPORTS else None,
        )
    rows = [f"{FIRST_REPORT + timedelta(days=day)},{choose.randint(970, 1040)}" for day in range(REPORTS)]
    yield DemoFile((WEATHER_STATION, "/readings.csv"), "text/csv", "\n".join(["date,hectopascal", *rows, ""]))


# The university, one host a department

UNIVERSITY, BOTANY, HISTORY = "university.example", "botany.university.example", "history.university.example"
PLANTS = (
    *("Sea pink", "Scots lovage", "Oysterplant", "Bog asphodel", "Grass of Parnassus", "Silverweed"),
    *("Kidney vetch", "Sea rocket", "Butterwort", "Bell heather", "Marsh marigold", "Spring squill"),
    *("Roseroot", "Cotton grass", "Crowberry", "Sea buckthorn", "Dulse", "Carrageen"),
)
ESSAYS = (
    *("The year of two harvests", "Who lit the first lamp", "A short history of the long pier"),
    *("Whalers and their debts", "Names on the land", "The school that moved by boat"),
    *("What the customs house kept", "Peat, kelp and rent", "The night of the great wind"),
    *("Songs that carry over water", "The quarrel about the bell", "How the post came"),
)


FERRYMAN = (HISTORY, "/essays/der-f%C3%A4hrmann")


def plant(name: str) -> Link:
    """Return the link to the page of a plant."""
    return Link((BOTANY, f"/plants/{slug(name)}"), name)


def essay(number: int) -> Link:
    """Return the link to an essay."""
    return Link((HISTORY, f"/essays/{slug(ESSAYS[number])}"), ESSAYS[number])


def person(name: str) -> Link:
    """Return the link to a member of the university."""
    return Link((UNIVERSITY, f"/people/{slug(name)}"), name)


def university(choose: Random) -> Iterator[Item]:
    """Yield the pages of the university and its departments."""
    departments = [Link(front(BOTANY), "Botany"), Link(front(HISTORY), "History")]
    yield DemoPage(
        front(UNIVERSITY),
        "University of Averna",
        [
            DemoSection("", ["The smallest university in the northern seas, and the windiest."]),
            DemoSection("Departments", links=departments),
            DemoSection("People", links=[person(name) for name in PEOPLE]),
            DemoSection("Library", links=[Link(front(LIBRARY), "The island library")]),
            DemoSection("Staff", links=[Link((UNIVERSITY, "/intranet/"), "Intranet")]),
        ],
    )
    for name in PEOPLE:
        colleague = choose.choice([other for other in PEOPLE if other != name])
        work = plant(choose.choice(PLANTS)) if choose.random() < 0.5 else essay(choose.randrange(len(ESSAYS)))
        yield DemoPage(
            (UNIVERSITY, f"/people/{slug(name)}"),
            name,
            [
                DemoSection("", [f"{name} teaches on {choose.choice([*ISLANDS])}.", *sentences(choose, REMARKS)]),
                DemoSection("Works on", links=[work]),
                DemoSection("Works with", links=[person(colleague), *choose.sample(departments, 1)]),
            ],
        )
    yield DemoPage((UNIVERSITY, "/intranet/"), "Intranet", [DemoSection("", ["For members only."])])


def botany(choose: Random) -> Iterator[Item]:
    """Yield the pages of the flora of the islands."""
    yield DemoPage(
        front(BOTANY),
        "Department of Botany",
        [
            DemoSection("", ["A flora of the islands, one plant at a time."]),
            DemoSection("Plants", links=[plant(name) for name in PLANTS]),
            DemoSection("University", links=[Link(front(UNIVERSITY), "University of Averna")]),
        ],
    )
    for name in PLANTS:
        island = choose.choice([*ISLANDS])
        yield DemoPage(
            plant(name).target,
            name,
            [
                DemoSection("", [f"{name} grows on {island}, close to the shore.", *sentences(choose, REMARKS)]),
                DemoSection("Grows with", links=[plant(other) for other in choose.sample(PLANTS, 2)]),
                DemoSection("Found on", links=[to_island(island)]),
                DemoSection("In the kitchen", links=[recipe(choose.randrange(len(RECIPES)))]),
            ],
        )


def history(choose: Random) -> Iterator[Item]:
    """Yield the essays."""
    yield DemoPage(
        front(HISTORY),
        "Department of History",
        [
            DemoSection("", ["Essays on the islands, written in winter."]),
            DemoSection("Essays", links=[essay(number) for number in range(len(ESSAYS))]),
            DemoSection("In other tongues", links=[Link(FERRYMAN, "Der Fährmann von Averna")]),
            DemoSection("University", links=[Link(front(UNIVERSITY), "University of Averna")]),
        ],
    )
    for number, title in enumerate(ESSAYS):
        yield DemoPage(
            essay(number).target,
            title,
            [
                DemoSection("", [f"By {choose.choice(PEOPLE)}.", *sentences(choose, REMARKS, most=6)]),
                DemoSection(
                    "Sources",
                    links=[exhibit(choose.randint(1, len(OBJECTS))), book(choose.randrange(len(BOOKS)))],
                ),
                DemoSection("Read on", links=[essay((number + 1) % len(ESSAYS))]),
            ],
        )
    yield DemoPage(
        FERRYMAN,
        "Der Fährmann von Averna",
        [
            DemoSection("", ["Über die Fähre, die nur bei Nebel übersetzte.", "Aus dem Nachlaß eines Färbers."]),
            DemoSection("Zurück", links=[Link(front(HISTORY), "Alle Aufsätze")]),
        ],
        language="de",
        charset="iso-8859-1",
        charset_in_meta=True,
    )


# The recipe blog

KITCHEN = "kitchen.example"
RECIPES = (
    *("Dulse broth", "Barley bannocks", "Smoked haddock pie", "Crowberry jam", "Carrageen pudding"),
    *("Lovage soup", "Oatcakes for the boat", "Mutton and neeps", "Heather honey cake", "Pickled herring"),
    *("Silverweed mash", "Crab on toast", "Sea buckthorn curd", "Lighthouse stew", "Bramble crumble"),
    *("Kelp crisps", "Buttermilk scones", "Mussels in cider", "Ling with leeks", "Storm-day porridge"),
)
TAGS = ("Bread", "Fish", "Seaweed", "Sweet", "For a storm")


def recipe(number: int) -> Link:
    """Return the link to a recipe."""
    return Link((KITCHEN, f"/recipes/{slug(RECIPES[number])}"), RECIPES[number])


def kitchen(choose: Random) -> Iterator[Item]:
    """Yield the recipes and their tag pages."""
    tags = [Link((KITCHEN, f"/tags/{slug(tag)}"), tag) for tag in TAGS]
    yield DemoPage(
        front(KITCHEN),
        "A Kitchen by the Sea",
        [
            DemoSection("", ["What the tide brings and what the garden spares."]),
            DemoSection("Newest", links=[recipe(number) for number in range(4)]),
            DemoSection("By kind", links=tags),
            DemoSection("", links=[Link((KITCHEN, "/recipies"), "Everything (old page)")]),
        ],
    )
    for number, tag in enumerate(TAGS):
        yield DemoPage(
            tags[number].target,
            f"Recipes: {tag.lower()}",
            [DemoSection("", links=[recipe(other) for other in range(number % 5, len(RECIPES), 3)])],
        )
    for number, name in enumerate(RECIPES):
        yield DemoPage(
            recipe(number).target,
            name,
            [
                DemoSection("", [f"Serves {choose.randint(2, 8)}.", *sentences(choose, REMARKS)]),
                DemoSection("Goes with", links=[recipe(other) for other in choose.sample(range(len(RECIPES)), 2)]),
                DemoSection("Growing wild", links=[plant(choose.choice(PLANTS))]),
                DemoSection("Kind", links=choose.sample(tags, 2)),
            ],
        )
    # Misspelt, but linked to: its visitors are sent on.
    yield DemoPage((KITCHEN, "/recipies"), "Moved", [DemoSection("", ["This page has moved."])], refresh=front(KITCHEN))


# The newspaper: an authority within the islands, and the one that links to everybody

GAZETTE = "gazette.example"
NEWS = (
    *("Seal stops traffic on the pier", "New bell for the harbour", "Ferry aground, nobody hurt, cake saved"),
    *(
        "Schoolchildren count the gannets",
        "Peat fair draws record crowd",
        "Council debates the traffic light",
    ),
    *(
        "Lost letter found after ninety years",
        "Rare orchid closes football pitch",
        "Kettle whirlpool sings again",
    ),
    *(
        "Museum cat elected honorary keeper",
        "Power cut: an evening of stars",
        "Barley harvest best in a decade",
    ),
    *("Boat race won by the bread boat", "Lighthouse open to visitors", "A piano arrives on Tarn Skerry"),
    *(
        "Warden asks for patience and socks",
        "University offers degree in wind",
        "Fog horn to be kept after protest",
    ),
)
SECTIONS = ("Harbour", "Town", "Nature", "Opinion")
HEADLINES = [f"{headline}{ending}" for ending in ("", ": a year on") for headline in NEWS]


def article(number: int) -> Link:
    """Return the link to an article of the newspaper."""
    return Link((GAZETTE, f"/news/{slug(HEADLINES[number])}"), HEADLINES[number])


def anything(choose: Random) -> Link:
    """Return a link to a random page of another host than the newspaper's."""
    links: list[Callable[[], Link]] = [
        lambda: to_island(choose.choice([*ISLANDS])),
        lambda: exhibit(choose.randint(1, len(OBJECTS))),
        lambda: report(choose.randrange(REPORTS)),
        lambda: person(choose.choice(PEOPLE)),
        lambda: plant(choose.choice(PLANTS)),
        lambda: essay(choose.randrange(len(ESSAYS))),
        lambda: recipe(choose.randrange(len(RECIPES))),
        lambda: thread(choose.randrange(len(THREADS))),
        lambda: book(choose.randrange(len(BOOKS))),
        lambda: route(*choose.choice(ROUTES)),
    ]
    return choose.choice(links)()


def gazette(choose: Random) -> Iterator[Item]:
    """Yield the pages of the newspaper, which link to pages of other hosts."""
    sections = [Link((GAZETTE, f"/sections/{slug(section)}"), section) for section in SECTIONS]
    archive = [Link((GAZETTE, f"/archive?page={page}"), f"Archive, page {page}") for page in range(1, 4)]
    per_page = len(HEADLINES) // len(archive)
    yield DemoPage(
        front(GAZETTE),
        "The Averna Gazette",
        [
            DemoSection("", ["All the news that fits between two tides."]),
            DemoSection("Today", links=[article(number) for number in range(6)]),
            DemoSection("Sections", links=sections),
            DemoSection("Earlier", links=archive[:1]),
            DemoSection("Editors", links=[Link((GAZETTE, "/admin/login"), "Log in")]),
        ],
    )
    yield DemoPage((GAZETTE, "/admin/login"), "Log in", [DemoSection("", ["Editors only."])])
    for number, section in enumerate(sections):
        chosen = [article(other) for other in range(number, len(HEADLINES), len(SECTIONS))]
        yield DemoPage(section.target, section.text, [DemoSection("", links=chosen)])
    for leaf, link in enumerate(archive):
        chosen = [article(number) for number in range(leaf * per_page, (leaf + 1) * per_page)]
        onwards = archive[leaf + 1] if leaf + 1 < len(archive) else None
        yield DemoPage(
            link.target,
            link.text,
            [
                DemoSection("", links=chosen),
                DemoSection("Go on", links=[onwards or Link(front(GAZETTE), "Front leaf")]),
            ],
            next=onwards.target if onwards else None,
        )
    for number, headline in enumerate(HEADLINES):
        text = [f"By {choose.choice(PEOPLE)}.", choose.choice(WEATHER), *sentences(choose, REMARKS, most=5)]
        read_next = [article(choose.randrange(len(HEADLINES))), choose.choice(sections)]
        if has_short_url := number % 6 == 0:
            read_next.append(Link((GAZETTE, f"/?story={number}"), "Short link to this story"))
        story = DemoPage(
            article(number).target,
            headline,
            [
                DemoSection("", text),
                DemoSection("In this story", links=[anything(choose) for _ in range(choose.randint(1, 4))]),
                DemoSection("Read next", links=read_next),
            ],
        )
        yield story
        if has_short_url:
            yield DemoPage(read_next[-1].target, story.title, story.sections, canonical=story.place)


# The lighthouse keepers' forum

KEEPERS = "keepers.example"
BOARDS = ("The lamp room", "Fog and how to bear it", "Boats for sale", "Off duty")
THREADS = (
    *("Which oil for an old lens?", "Strange green light west of Kettle", "Favourite tin of biscuits"),
    *("Gulls on the gallery, again", "Foghorn stuck on B flat", "Knitting for long nights"),
    *(
        "Selling: one dinghy, one careful owner",
        "Who has the spare key to Lantern Rock?",
        "Radio play on Thursday",
    ),
    *("Best book for a gale", "Tomatoes in the lamp room", "Counting ships, week 12"),
    *("New keeper says hello", "Wick trimming for beginners", "The lens is turning backwards"),
    *("Lost: left boot", "Whales off Tarn Skerry", "How do you sleep in summer?"),
    *("Swap: sea shanties for recipes", "Storm of the century, part four"),
)
MEMBERS = (
    "wick_and_wax",
    "gale9",
    "foghorn",
    "tarnskerry",
    "lensgrinder",
    "old_petrel",
    "nightwatch",
    "biscuit",
)


def thread(number: int) -> Link:
    """Return the link to a thread of the forum."""
    return Link((KEEPERS, f"/threads/{number + 1}"), THREADS[number])


def keepers(choose: Random) -> Iterator[Item]:
    """Yield the pages of the lighthouse keepers' forum."""
    boards = [Link((KEEPERS, f"/boards/{slug(board)}"), board) for board in BOARDS]
    yield DemoPage(
        front(KEEPERS),
        "The Keepers' Forum",
        [
            DemoSection("", ["Keep the light, keep the log, keep it civil."]),
            DemoSection("Boards", links=boards),
            DemoSection(
                "More",
                links=[
                    Link((KEEPERS, "/search?q=fog"), "Search for fog"),
                    Link((KEEPERS, "/private/rota"), "Watch rota"),
                    Link((KEEPERS, "/private/rules"), "House rules"),
                ],
            ),
        ],
    )
    found = [thread(number) for number, title in enumerate(THREADS) if "og" in title]
    yield DemoPage((KEEPERS, "/search?q=fog"), "Search: fog", [DemoSection("Found", links=found)], robots="noindex")
    yield DemoPage((KEEPERS, "/private/rota"), "Watch rota", [DemoSection("", ["Your turn."])])
    yield DemoPage((KEEPERS, "/private/rules"), "House rules", [DemoSection("", ["Be kind. Name the light."])])
    for number, board in enumerate(boards):
        on_board = [thread(other) for other in range(number, len(THREADS), len(BOARDS))]
        yield DemoPage(board.target, board.text, [DemoSection("Threads", links=on_board)])
    for number, title in enumerate(THREADS):
        posts = []
        for _ in range(choose.randint(2, 5)):
            member = choose.choice(MEMBERS)
            links = [Link((KEEPERS, f"/members/{member}"), member)]
            if choose.random() < 0.5:
                links.append(anything(choose))
            posts.append(DemoSection(f"{member} writes", sentences(choose, (*REMARKS, *WEATHER)), links))
        if number % 5 == 2:
            advert = Link((KEEPERS, f"/go?offer={number}"), "CHEAP LAMP OIL!!!", nofollow=True)
            posts.append(DemoSection("biscuits4u writes", ["Best prices!"], [advert]))
        yield DemoPage(
            thread(number).target, title, [*posts, DemoSection("Back", links=[boards[number % len(boards)]])]
        )
    for member in MEMBERS:
        yield DemoPage(
            (KEEPERS, f"/members/{member}"),
            member,
            [
                DemoSection("", [f"Keeps a light on {choose.choice([*ISLANDS])}.", choose.choice(REMARKS)]),
                DemoSection("Likes", links=[thread(other) for other in choose.sample(range(len(THREADS)), 2)]),
            ],
            robots="noindex, nofollow" if member == "biscuit" else "",
        )


# The library

LIBRARY = "library.example"
AUTHORS = ("Thora Wake", "Magnus Peel", "Sorcha Dunn", "Lars Engelbrecht", "Una Fairlie", "Père Anselme")
BOOKS = (
    *("The Drowned Orchard", "Keeping Time by Tide", "Letters to a Lighthouse", "The Barley Moon"),
    *("Nine Kinds of Rain", "A Grammar of Gulls", "The Ferryman's Arithmetic", "Salt, a Memoir"),
    *("The Loch in the Hills", "Winter Boats", "Under the Foghorn", "An Island Herbal"),
    *("The Whaler's Daughter", "Maps for the Absent", "The Quiet Engine", "Songs of Tarn Skerry"),
    *("The Postmaster's Ghost", "Birds by Their Absence"),
)


def book(number: int) -> Link:
    """Return the link to a book of the library."""
    return Link((LIBRARY, f"/books/{slug(BOOKS[number])}"), BOOKS[number])


def author(name: str) -> Link:
    """Return the link to an author of the library."""
    return Link((LIBRARY, f"/authors/{slug(name)}"), name)


def library(choose: Random) -> Iterator[Item]:
    """Yield the pages of the library: books and authors."""
    yield DemoPage(
        front(LIBRARY),
        "The Island Library",
        [
            DemoSection("", ["Lent by the boat, returned by the tide."]),
            DemoSection("Authors", links=[author(name) for name in AUTHORS]),
            DemoSection(
                "Friends",
                links=[Link(front(UNIVERSITY), "The university"), Link(front(MUSEUM), "The museum")],
            ),
        ],
    )
    for place, name in enumerate(AUTHORS):
        written = range(place, len(BOOKS), len(AUTHORS))
        yield DemoPage(
            author(name).target,
            name,
            [
                DemoSection("", [f"{name} wrote at night, by the light of a café lamp.", *sentences(choose, REMARKS)]),
                DemoSection("Books", links=[book(number) for number in written]),
            ],
            charset="iso-8859-1",
            charset_in_meta=place % 2 == 1,
        )
    for number, title in enumerate(BOOKS):
        yield DemoPage(
            book(number).target,
            title,
            [
                DemoSection("", [f"{choose.randint(90, 480)} pages, water-stained.", *sentences(choose, REMARKS)]),
                DemoSection("By", links=[author(AUTHORS[number % len(AUTHORS)])]),
                DemoSection("Borrowed with", links=[book(other) for other in choose.sample(range(len(BOOKS)), 2)]),
                DemoSection("Talked about", links=[thread(choose.randrange(len(THREADS)))]),
            ],
        )


# The inn

INN = "inn.example"


def inn(choose: Random) -> Iterator[Item]:
    """Yield the pages of the inn."""
    rooms = [Link((INN, f"/rooms/{slug(island)}"), f"The {island} room") for island in ISLANDS]
    yield DemoPage(
        front(INN),
        "The Inn at the End of the Pier",
        [
            DemoSection("", ["Twelve rooms, one for each island.", "Breakfast is when the boat comes in."]),
            DemoSection("Rooms", links=rooms),
            DemoSection("Dinner", links=[recipe(number) for number in (13, 17)]),
            DemoSection(
                "Find us",
                links=[
                    to_island("Averna"),
                    Link((ATLAS, "/boats"), "Boats"),
                    Link((ATLAS, "/home"), "Atlas"),
                ],
            ),
            DemoSection("", links=[Link((INN, "/wine-list"), "Wine list")]),
        ],
    )
    for island, room in zip(ISLANDS, rooms, strict=True):
        yield DemoPage(
            room.target,
            room.text,
            [
                DemoSection("", [f"From the window you see {island}.", *sentences(choose, REMARKS)]),
                DemoSection(
                    "Beyond the window",
                    links=[to_island(island), Link((FERRY, f"/ports/{slug(island)}"), "How to get there")],
                ),
            ],
        )


HOSTS: Mapping[str, DemoHost] = {
    ATLAS: DemoHost("The Atlas of Averna", atlas),
    FERRY: DemoHost("Averna Ferry Company", ferry, forbidden=("/booking",)),
    MUSEUM: DemoHost("Averna Museum", museum),
    WEATHER_STATION: DemoHost("Averna Weather Station", weather, crawl_delay_seconds=0.1),
    UNIVERSITY: DemoHost("University of Averna", university, forbidden=("/intranet/",)),
    BOTANY: DemoHost("Department of Botany", botany),
    HISTORY: DemoHost("Department of History", history),
    KITCHEN: DemoHost("A Kitchen by the Sea", kitchen),
    GAZETTE: DemoHost("The Averna Gazette", gazette, forbidden=("/admin/",), gzipped=True),
    KEEPERS: DemoHost("The Keepers' Forum", keepers, forbidden=("/private/",), allowed=("/private/rules",)),
    LIBRARY: DemoHost("The Island Library", library, gzipped=True),
    INN: DemoHost("The Inn at the End of the Pier", inn),
}


def everything() -> Iterator[Item]:
    """Yield everything that the hosts serve, including robots.txt files. Each host has its own random seed."""
    for name, host in HOSTS.items():
        yield from host.pages(Random(f"{SEED} {name}"))
        if host.robots_txt is not None:
            yield DemoFile((name, "/robots.txt"), "text/plain", host.robots_txt)
