/* Reads the elements of an HTML page that a crawl needs, in one walk over its tree: `page_elements.read_elements` in C.
 *
 * The tree is built by Lexbor, the library inside the selectolax package, through its public C functions. The compiler
 * checks each call against their declarations; the caller passes their addresses. No sizes, offsets or numbers of
 * Lexbor are assumed, except that 0 is success: the caller also passes what each element means here (its role).
 *
 * Strings go into columns, each followed by a NUL byte, which no string of a tree contains. They are UTF-8 as far as
 * the page was. A column that cannot grow makes the whole page fail. Nothing recurses: nesting has no bound.
 *
 * Not thread-safe.
 */
#include "lexbor_functions.h"
#include <stdlib.h>
#include <string.h>

typedef lxb_char_t byte;
typedef lxb_dom_node_t node;
typedef lxb_dom_attr_t attribute;

#define FUNCTIONS(OF) \
    OF(lxb_html_document_create) \
    OF(lxb_html_document_destroy) \
    OF(lxb_html_document_parse) \
    OF(lxb_html_document_dom_opt_set_noi) \
    OF(lxb_html_document_body_element_noi) \
    OF(lxb_dom_document_element_noi) \
    OF(lxb_dom_document_destroy_text_noi) \
    OF(lxb_dom_node_next_noi) \
    OF(lxb_dom_node_prev_noi) \
    OF(lxb_dom_node_first_child_noi) \
    OF(lxb_dom_node_parent_noi) \
    OF(lxb_dom_node_tag_id_noi) \
    OF(lxb_dom_node_type_noi) \
    OF(lxb_dom_node_text_content) \
    OF(lxb_dom_element_qualified_name) \
    OF(lxb_dom_element_first_attribute_noi) \
    OF(lxb_dom_element_next_attribute_noi) \
    OF(lxb_dom_attr_qualified_name) \
    OF(lxb_dom_attr_value_noi)

#define ADDRESS(name) __typeof__(name) *name;
typedef struct {
    FUNCTIONS(ADDRESS)
} functions;

/* The functions whose addresses set_up takes, in this order, each followed by a space. */
#define NAME(name) #name " "
const char *const function_names = FUNCTIONS(NAME);

/* In the order of element_reader.py; headings are HEADING + their level. */
enum role { NONE, TEXT, ANCHOR, TITLE, HIDDEN, FRAME, NAMED, LINK, PICTURE, SECTION, DRAWING, TEMPLATE, HEADING };

/* What an element may be for put_parts, in the order of element_reader.py. */
enum part { NO_PART, REFERS, SCRIPT, STYLE, REFERS_INSIDE };

/* In the order of element_reader.py. */
enum column_number {
    HREFS, NOFOLLOW, ANCHOR_TEXTS, ANCHOR_PATHS, HEADINGS, HEADING_ANCHORS, PAGE_TITLE, PAGE_TEXT, NAMED_ELEMENTS,
    MAIN_BLOCKS, BLOCK_NUMBERS, IDS, FRAGMENT_HREFS, REFERRING, STYLES, DATA, COLUMNS
};

/* Of text_places, in the order of compiled/text_places.py. */
enum place_column { TEXT_NODES, TEXT_STARTS, BLOCK_STARTS, BLOCK_KINDS, PLACE_COLUMNS };

enum outcome { READ = 0, NOT_PARSED = 1, NO_MEMORY = 2 };

enum { ROLES = 1024, KEPT_CAPACITY = 1 << 20, KEPT_HREFS = 1024, PATH_ROOM = 64 };

typedef struct {
    byte *data;
    size_t size;
    size_t capacity;
} column;

typedef struct {
    const byte *data; /* NULL if there is none */
    size_t size;
} string;

static functions lexbor;
static unsigned int document_options;
static byte role_of_tag[ROLES];
static byte part_of_tag[ROLES];
static size_t most_anchor_characters, most_heading_characters, most_title_characters, most_headings, most_parts;
static size_t most_steps_to_anchor;
static size_t most_path_elements, most_name_bytes, most_path_bytes; /* in a path; of a name in it; of all paths */
/* Of the current page: <a> with an href; limit of them; headings; referring elements. */
static size_t anchors, most_anchors, headings, parts;
static uint64_t hash_key[2];
static lxb_dom_document_t *document; /* of the tree that is read */
static column columns[COLUMNS], places[PLACE_COLUMNS];
static column gathered; /* text of the current element */
static int memory_is_short;

/* The results of read_page, valid until its next call. */
string found[COLUMNS];
string found_places[PLACE_COLUMNS]; /* the results of find_places, likewise */
size_t left_out[3]; /* anchors, headings and referring elements beyond their limits */


/* --- columns ------------------------------------------------------------------------------------------------- */

/* Makes room for `size` more bytes; returns 0 if there is none. */
static int make_room(column *to, size_t size)
{
    if (size <= to->capacity - to->size)
        return 1;
    if (size > SIZE_MAX / 4 || to->capacity > SIZE_MAX / 4) {
        memory_is_short = 1;
        return 0;
    }
    size_t capacity = (to->capacity + size) * 2 + 4096;
    byte *data = realloc(to->data, capacity);
    if (data == NULL) {
        memory_is_short = 1;
        return 0;
    }
    to->data = data;
    to->capacity = capacity;
    return 1;
}

/* Frees the memory that a large page took. */
static void empty(column *of)
{
    of->size = 0;
    if (of->capacity > KEPT_CAPACITY) {
        free(of->data);
        *of = (column){NULL, 0, 0};
    }
}

static void put(column *to, const byte *data, size_t size)
{
    if (size > 0 && make_room(to, size)) {
        memcpy(to->data + to->size, data, size);
        to->size += size;
    }
}

static void put_byte(column *to, byte value)
{
    if (make_room(to, 1))
        to->data[to->size++] = value;
}

static void end_string(column *to)
{
    put_byte(to, 0);
}

static void put_string(column *to, string text)
{
    put(to, text.data, text.size);
    end_string(to);
}


/* --- strings ------------------------------------------------------------------------------------------------- */

static int are_same(string text, string other)
{
    return text.size == other.size && (text.size == 0 || memcmp(text.data, other.data, text.size) == 0);
}

static int is(string text, const char *other)
{
    return are_same(text, (string){(const byte *)other, strlen(other)});
}

static int is_html_space(byte c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* Returns the length of the white space at `at`, by the rules of Python's str.split(); 0 if there is none. */
static size_t space_size(const byte *at, const byte *end)
{
    byte c = at[0];
    if (c < 0x80)
        return c == ' ' || (c >= 0x09 && c <= 0x0d) || (c >= 0x1c && c <= 0x1f);
    if (c == 0xc2 && end - at >= 2)
        return at[1] == 0x85 || at[1] == 0xa0 ? 2 : 0; /* next line, no-break space */
    if (end - at < 3)
        return 0;
    if (c == 0xe2 && at[1] == 0x80) /* U+2000 to 200A, 2028, 2029, 202F */
        return (at[2] >= 0x80 && at[2] <= 0x8a) || at[2] == 0xa8 || at[2] == 0xa9 || at[2] == 0xaf ? 3 : 0;
    if (c == 0xe1)
        return at[1] == 0x9a && at[2] == 0x80 ? 3 : 0; /* U+1680 */
    if (c == 0xe2)
        return at[1] == 0x81 && at[2] == 0x9f ? 3 : 0; /* U+205F */
    if (c == 0xe3)
        return at[1] == 0x80 && at[2] == 0x80 ? 3 : 0; /* U+3000 */
    return 0;
}

/* Returns whether this is UTF-8 (RFC 3629, section 4). */
static int is_utf8(const byte *at, size_t size)
{
    const byte *end = at + size;
    while (at < end) {
        uint64_t eight;
        if (end - at >= 8 && (memcpy(&eight, at, 8), eight & 0x8080808080808080u) == 0) {
            at += 8;
            continue;
        }
        byte c = *at++;
        if (c < 0x80)
            continue;
        int more = c < 0xc2 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 0;
        if (more == 0 || end - at < more)
            return 0;
        byte least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80; /* otherwise a shorter form exists */
        byte most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;  /* otherwise a surrogate, or beyond Unicode */
        if (*at < least || *at > most)
            return 0;
        for (at++; more > 1; more--, at++)
            if ((*at & 0xc0) != 0x80)
                return 0;
    }
    return 1;
}

/* Appends text with each run of white space collapsed to one space, none at its ends, cut to `most` characters. Text
 * that is not UTF-8 may be longer, for Python to count. Returns whether it was cut. */
static int put_collapsed(column *to, string text, size_t most)
{
    size_t most_bytes = 4 * most + 8; /* a character has at most four, and the last one may be incomplete */
    if (!make_room(to, text.size < most_bytes ? text.size : most_bytes + 1))
        return 0;
    const byte *at = text.data, *end = at + text.size;
    byte *start = to->data + to->size, *next = start;
    size_t characters = 0;
    int is_space_due = 0, is_cut = 0;
    while (at < end) {
        size_t space = space_size(at, end);
        if (space > 0) {
            is_space_due = next > start;
            at += space;
            continue;
        }
        if (is_space_due && characters++ < most)
            *next++ = ' ';
        is_space_due = 0;
        is_cut = (size_t)(next - start) >= most_bytes || ((*at & 0xc0) != 0x80 && characters++ >= most);
        if (is_cut) /* where a character begins, or after too many bytes that begin none */
            break;
        *next++ = *at++;
    }
    to->size += (size_t)(next - start);
    return is_cut;
}

static int is_between_tokens(byte c)
{
    return is_html_space(c) || c == ',';
}

/* Returns whether `rel`, a set of tokens, contains `token`, which is in lower case. Commas separate tokens, too. */
static int has_token(string value, const char *token)
{
    size_t size = strlen(token);
    const byte *at = value.data;
    const byte *end = at == NULL ? NULL : at + value.size;
    while (at < end) {
        if (is_between_tokens(*at)) {
            at++;
            continue;
        }
        const byte *start = at;
        while (at < end && !is_between_tokens(*at))
            at++;
        if ((size_t)(at - start) != size)
            continue;
        size_t same = 0;
        while (same < size && (start[same] >= 'A' && start[same] <= 'Z' ? start[same] + 32 : start[same]) == token[same])
            same++;
        if (same == size)
            return 1;
    }
    return 0;
}

/* Returns whether an attribute is `token`, which is in lower case, and nothing else but white space. */
static int is_all(string value, const char *token)
{
    const byte *at = value.data, *end = at == NULL ? NULL : at + value.size;
    while (at < end && is_html_space(*at))
        at++;
    while (at < end && is_html_space(end[-1]))
        end--;
    size_t size = (size_t)(end - at);
    return size == strlen(token) && has_token((string){at, size}, token);
}


/* --- the hrefs of a page, each once -------------------------------------------------------------------------- */

typedef struct {
    size_t start, size; /* in HREFS */
    uint64_t hash;
    byte is_nofollow, has_text;
} known_href;

static struct {
    known_href *hrefs;
    size_t size, capacity;
    uint32_t *places; /* by hash: 1 + an index of hrefs, or 0. Twice the capacity, a power of two. */
} known;

static void forget_hrefs(void)
{
    if (known.capacity > KEPT_HREFS) {
        free(known.hrefs);
        free(known.places);
        known.hrefs = NULL;
        known.places = NULL;
        known.capacity = 0;
    }
    known.size = 0;
    if (known.places != NULL)
        memset(known.places, 0, 2 * known.capacity * sizeof *known.places);
}

static uint64_t turned(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void sip_round(uint64_t v[4])
{
    v[0] += v[1], v[1] = turned(v[1], 13) ^ v[0], v[0] = turned(v[0], 32);
    v[2] += v[3], v[3] = turned(v[3], 16) ^ v[2];
    v[0] += v[3], v[3] = turned(v[3], 21) ^ v[0];
    v[2] += v[1], v[1] = turned(v[1], 17) ^ v[2], v[2] = turned(v[2], 32);
}

/* SipHash-1-3 (Aumasson & Bernstein 2012), with a new key in every process: no site can prepare hrefs that collide. */
static uint64_t hash_of(string text)
{
    uint64_t v[4] = {hash_key[0] ^ 0x736f6d6570736575u, hash_key[1] ^ 0x646f72616e646f6du,
                     hash_key[0] ^ 0x6c7967656e657261u, hash_key[1] ^ 0x7465646279746573u};
    for (size_t i = 0; i <= text.size; i += 8) {
        uint64_t word = (uint64_t)text.size << 56; /* the last word ends with the length */
        memcpy(&word, text.data + i, text.size - i < 8 ? text.size - i : 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    v[2] ^= 0xff;
    for (int i = 0; i < 3; i++)
        sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

static void place_href(size_t number)
{
    size_t place = known.hrefs[number].hash & (2 * known.capacity - 1);
    while (known.places[place] != 0)
        place = (place + 1) & (2 * known.capacity - 1);
    known.places[place] = (uint32_t)number + 1;
}

static int make_room_for_href(void)
{
    if (known.size < known.capacity)
        return 1;
    size_t capacity = known.capacity == 0 ? 256 : 2 * known.capacity;
    known_href *hrefs = capacity > UINT32_MAX / 4 ? NULL : realloc(known.hrefs, capacity * sizeof *hrefs);
    if (hrefs != NULL)
        known.hrefs = hrefs;
    uint32_t *places = hrefs == NULL ? NULL : calloc(2 * capacity, sizeof *places);
    if (places == NULL) {
        memory_is_short = 1;
        return 0;
    }
    free(known.places);
    known.places = places;
    known.capacity = capacity;
    for (size_t number = 0; number < known.size; number++)
        place_href(number);
    return 1;
}

/* Returns the entry of this href, creating it if needed; NULL without memory. */
static known_href *find_href(string href)
{
    uint64_t hash = hash_of(href);
    if (known.capacity > 0)
        for (size_t place = hash & (2 * known.capacity - 1); known.places[place] != 0;
             place = (place + 1) & (2 * known.capacity - 1)) {
            known_href *at = &known.hrefs[known.places[place] - 1];
            if (at->hash == hash && are_same((string){columns[HREFS].data + at->start, at->size}, href))
                return at;
        }
    if (!make_room_for_href())
        return NULL;
    known.hrefs[known.size] =
        (known_href){.start = columns[HREFS].size, .size = href.size, .hash = hash, .is_nofollow = 1};
    place_href(known.size);
    return &known.hrefs[known.size++];
}


/* --- elements ------------------------------------------------------------------------------------------------ */

static string tag_name(node *element)
{
    string name = {NULL, 0};
    name.data = lexbor.lxb_dom_element_qualified_name((lxb_dom_element_t *)element, &name.size);
    return name.data != NULL ? name : (string){NULL, 0};
}

/* Returns whether it is an element, whose nodeType is 1 (DOM Standard, 4.4). */
static int is_element(node *at)
{
    return lexbor.lxb_dom_node_type_noi(at) == 1;
}

static enum role role_of(node *at)
{
    uintptr_t tag = lexbor.lxb_dom_node_tag_id_noi(at);
    return tag < ROLES ? (enum role)role_of_tag[tag] : NONE; /* larger ones are addresses of names unknown to Lexbor */
}

static attribute *first_attribute(node *element)
{
    return lexbor.lxb_dom_element_first_attribute_noi((lxb_dom_element_t *)element);
}

static attribute *next_attribute(attribute *at)
{
    return lexbor.lxb_dom_element_next_attribute_noi(at);
}

static string name_of(attribute *of)
{
    string name = {NULL, 0};
    name.data = lexbor.lxb_dom_attr_qualified_name(of, &name.size);
    return name.data != NULL ? name : (string){NULL, 0};
}

static string value_of(attribute *of)
{
    string value = {NULL, 0};
    value.data = lexbor.lxb_dom_attr_value_noi(of, &value.size);
    if (value.data == NULL)
        value = (string){(const byte *)"", 0};
    return value;
}

static string attribute_of(node *element, const char *wanted)
{
    for (attribute *at = first_attribute(element); at != NULL; at = next_attribute(at)) {
        if (is(name_of(at), wanted))
            return value_of(at);
    }
    return (string){NULL, 0};
}

/* Returns the node after `at` in document order inside `top`; NULL at its end. */
static node *after(node *at, node *top)
{
    while (at != top) {
        node *next = lexbor.lxb_dom_node_next_noi(at);
        if (next != NULL)
            return next;
        at = lexbor.lxb_dom_node_parent_noi(at);
    }
    return NULL;
}

static node *inside_or_after(node *at, node *top)
{
    node *child = lexbor.lxb_dom_node_first_child_noi(at);
    return child != NULL ? child : after(at, top);
}

/* Returns a copy in the document's memory; {NULL, 0} without memory. */
static string text_of(node *text)
{
    string copy = {NULL, 0};
    copy.data = lexbor.lxb_dom_node_text_content(text, &copy.size);
    if (copy.data == NULL) {
        memory_is_short = 1;
        copy.size = 0;
    }
    return copy;
}

static void give_back(string copy)
{
    lexbor.lxb_dom_document_destroy_text_noi(document, (byte *)copy.data);
}

/* Returns whether a text consists of white space. */
static int is_blank(node *text)
{
    string copy = text_of(text);
    const byte *at = copy.data, *end = at == NULL ? NULL : at + copy.size;
    while (at < end && space_size(at, end) > 0)
        at += space_size(at, end);
    if (copy.data != NULL)
        give_back(copy);
    return at == end;
}

/* Appends the text of an element, without that of nested headings if `is_own`. The gathered text is checked whenever it
 * has doubled, so an element with megabytes more than needed is not read to its end. */
static void put_text_of(node *element, column *to, size_t most, int is_own)
{
    size_t start = to->size, enough = 8 * most;
    gathered.size = 0;
    for (node *at = element; at != NULL;) {
        enum role role = role_of(at);
        if (role == TEXT) {
            string copy = text_of(at);
            put(&gathered, copy.data, copy.size);
            if (copy.data != NULL)
                give_back(copy); /* text inside a thousand elements is copied a thousand times */
            if (gathered.size >= enough) {
                if (put_collapsed(to, (string){gathered.data, gathered.size}, most))
                    return;
                to->size = start;
                enough = 2 * gathered.size;
            }
        }
        at = is_own && role >= HEADING && at != element ? after(at, element) : inside_or_after(at, element);
    }
    put_collapsed(to, (string){gathered.data, gathered.size}, most);
}

/* Returns whether there is any. */
static int put_anchor_text(node *anchor)
{
    column *to = &columns[ANCHOR_TEXTS];
    size_t start = to->size;
    put_text_of(anchor, to, most_anchor_characters, 0);
    if (to->size == start)
        for (node *at = lexbor.lxb_dom_node_first_child_noi(anchor); at != NULL; at = inside_or_after(at, anchor)) {
            string alt = role_of(at) == PICTURE ? attribute_of(at, "alt") : (string){NULL, 0};
            if (alt.size > 0) {
                put_collapsed(to, alt, most_anchor_characters);
                break;
            }
        }
    int has_text = to->size > start;
    end_string(to);
    return has_text;
}

static int is_plain_name(string name)
{
    if (name.size == 0 || name.size > most_name_bytes)
        return 0;
    for (size_t i = 0; i < name.size; i++)
        if (name.data[i] >= 0x80)
            return 0;
    return 1;
}

/* Appends the name, and the first class or else the id, if they are ASCII and not too long. */
static void put_step(node *element, column *to)
{
    string name = tag_name(element);
    if (is_plain_name(name))
        put(to, name.data, name.size);
    string class = attribute_of(element, "class");
    const byte *start = class.data, *end = start == NULL ? NULL : start + class.size;
    while (start < end && is_html_space(*start))
        start++;
    const byte *after_it = start;
    while (after_it < end && !is_html_space(*after_it))
        after_it++;
    string said = {start, (size_t)(after_it - start)};
    byte mark = '.';
    if (said.size == 0) {
        said = attribute_of(element, "id");
        mark = '#';
    }
    if (is_plain_name(said)) {
        put_byte(to, mark);
        put(to, said.data, said.size);
    }
}

/* Appends the elements around a node, outermost first, without the root; the nearest ones if there are many. */
static void put_anchor_path(node *anchor, node *root)
{
    node *around[PATH_ROOM];
    size_t count = 0;
    column *to = &columns[ANCHOR_PATHS];
    if (to->size < most_path_bytes)
        for (node *at = lexbor.lxb_dom_node_parent_noi(anchor); count < most_path_elements && at != NULL && at != root;
             at = lexbor.lxb_dom_node_parent_noi(at))
            around[count++] = at;
    while (count > 0) {
        put_step(around[--count], to);
        if (count > 0)
            put_byte(to, '/');
    }
    end_string(to);
}

/* Returns whether a node is inside a drawing, where hrefs may be XLink's. */
static int is_drawn(node *anchor)
{
    node *at = lexbor.lxb_dom_node_parent_noi(anchor);
    while (at != NULL && role_of(at) != DRAWING)
        at = lexbor.lxb_dom_node_parent_noi(at);
    return at != NULL;
}

static void put_anchor(node *anchor, node *root, int with_paths)
{
    string href = {NULL, 0}, xlink = {NULL, 0}, rel = {NULL, 0};
    for (attribute *at = first_attribute(anchor); at != NULL; at = next_attribute(at)) {
        string name = name_of(at);
        if (is(name, "href"))
            href = value_of(at);
        else if (is(name, "rel"))
            rel = value_of(at);
        else if (is(name, "xlink:href"))
            xlink = value_of(at);
    }
    if (href.data == NULL && xlink.data != NULL && is_drawn(anchor))
        href = xlink;
    if (href.data == NULL)
        return;
    if (++anchors > most_anchors) {
        left_out[0]++;
        return;
    }
    const byte *fragment = href.size > 0 ? memchr(href.data, '#', href.size) : NULL;
    if (fragment != NULL && (fragment == href.data || fragment[-1] > ' ')) /* else white space belongs to the path */
        href.size = (size_t)(fragment - href.data);
    byte is_nofollow = (byte)has_token(rel, "nofollow");
    known_href *entry = find_href(href);
    if (entry == NULL || (entry->has_text && is_nofollow >= entry->is_nofollow))
        return; /* it adds nothing */
    put_string(&columns[HREFS], href);
    put_byte(&columns[NOFOLLOW], is_nofollow);
    entry->is_nofollow &= is_nofollow;
    entry->has_text |= (byte)put_anchor_text(anchor);
    if (with_paths)
        put_anchor_path(anchor, root);
}

/* The id of an element, or else the name of an <a>; empty if there is none. */
static string anchor_of(node *element)
{
    string id = attribute_of(element, "id");
    return id.size == 0 && role_of(element) == ANCHOR ? attribute_of(element, "name") : id;
}

/* As in headings.py, which explains what an anchor is. */
static string anchor_inside(node *heading)
{
    node *at = lexbor.lxb_dom_node_first_child_noi(heading);
    for (size_t step = 0; step < most_steps_to_anchor && at != NULL; step++, at = inside_or_after(at, heading)) {
        string anchor = is_element(at) ? anchor_of(at) : (string){NULL, 0};
        if (anchor.size > 0)
            return anchor;
    }
    return (string){NULL, 0};
}

static string anchor_before(node *heading)
{
    string none = {NULL, 0}, anchor = none;
    node *at = heading;
    for (size_t step = 0; step < most_steps_to_anchor; step++) {
        node *before = lexbor.lxb_dom_node_prev_noi(at);
        if (before == NULL) {
            at = lexbor.lxb_dom_node_parent_noi(at);
            if (at == NULL || !is_element(at) || role_of(at) == SECTION)
                return none;
            anchor = anchor_of(at);
        } else {
            at = before;
            if (role_of(at) == TEXT) {
                if (!is_blank(at))
                    return none;
            } else if (is_element(at)) {
                node *inside = lexbor.lxb_dom_node_first_child_noi(at);
                if (inside != NULL && (is_element(inside) || role_of(inside) == TEXT))
                    return none;
                anchor = anchor_of(at);
            }
        }
        if (anchor.size > 0)
            return anchor;
    }
    return none;
}

static string heading_anchor(node *heading)
{
    string anchor = anchor_of(heading);
    if (anchor.size == 0)
        anchor = anchor_inside(heading);
    return anchor.size == 0 ? anchor_before(heading) : anchor;
}

static void put_heading(node *heading, byte level)
{
    if (headings++ >= most_headings) {
        left_out[1]++;
        return;
    }
    put_byte(&columns[HEADINGS], (byte)('0' + level));
    put_text_of(heading, &columns[HEADINGS], most_heading_characters, 1);
    end_string(&columns[HEADINGS]);
    put_string(&columns[HEADING_ANCHORS], heading_anchor(heading));
}

/* Appends the name, then names and values of attributes in turn, then an empty string, which is no name. */
static void put_element(node *element, column *to)
{
    put_string(to, tag_name(element));
    for (attribute *at = first_attribute(element); at != NULL; at = next_attribute(at)) {
        string name = name_of(at);
        if (name.size > 0) {
            put_string(to, name);
            put_string(to, value_of(at));
        }
    }
    end_string(to);
}

static void put_named(node *element)
{
    put_element(element, &columns[NAMED_ELEMENTS]);
}

/* Appends the text of an element that contains nothing else, such as a script. */
static void put_content(node *element, column *to, int may_be_empty)
{
    string copy = text_of(element);
    if (copy.size > 0 || may_be_empty)
        put_string(to, copy);
    if (copy.data != NULL)
        give_back(copy);
}

/* Appends what page_parts.py calls the parts of a page, as far as they are this element. */
static void put_parts(node *element)
{
    if (!is_element(element))
        return;
    uintptr_t tag = lexbor.lxb_dom_node_tag_id_noi(element);
    enum part part = tag < ROLES ? (enum part)part_of_tag[tag] : NO_PART;
    int may_refer = part == REFERS || part == SCRIPT || (tag >= ROLES && is(tag_name(element), "use")), is_data = 0;
    for (attribute *at = first_attribute(element); at != NULL; at = next_attribute(at)) {
        string name = name_of(at);
        if (is(name, "id") || (part == REFERS_INSIDE && is(name, "name") && role_of(element) == ANCHOR)) {
            if (value_of(at).size > 0)
                put_string(&columns[IDS], value_of(at));
        } else if (part == REFERS_INSIDE && is(name, "href")) {
            if (value_of(at).size > 0 && memchr(value_of(at).data, '#', value_of(at).size) != NULL)
                put_string(&columns[FRAGMENT_HREFS], value_of(at));
        } else if (part == SCRIPT && is(name, "type")) {
            is_data = is_all(value_of(at), "application/ld+json");
        } else if (is(name, "style")) {
            may_refer |= value_of(at).size > 0 && memchr(value_of(at).data, '(', value_of(at).size) != NULL;
        } else if (is(name, "background") || is(name, "data-bg") || is(name, "data-background-image") ||
                   is(name, "data-poster")) {
            may_refer = 1;
        }
    }
    if (part == STYLE)
        put_content(element, &columns[STYLES], 0);
    if (is_data)
        put_content(element, &columns[DATA], 1);
    if (may_refer && parts++ >= most_parts)
        left_out[2]++;
    else if (may_refer)
        put_element(element, &columns[REFERRING]);
}

static void put_link(node *link)
{
    string rel = attribute_of(link, "rel");
    if (has_token(rel, "canonical") || has_token(rel, "next") || has_token(rel, "alternate"))
        put_named(link);
}

static int is_in_a_section(node *element)
{
    node *parent = lexbor.lxb_dom_node_parent_noi(element);
    return parent != NULL && role_of(parent) == SECTION;
}

#include "text_blocks.h"

static void walk(node *root, int with_paths, int with_parts)
{
    int has_title = 0;
    node *at = root;
    while (at != NULL && !memory_is_short) { /* an href whose entry is incomplete must not be looked up */
        enum role role = role_of(at);
        if (at == root)
            put_named(at);
        if (with_parts)
            put_parts(at);
        switch (role) {
        case NONE:
        case HIDDEN:
        case PICTURE:
        case SECTION:
        case DRAWING:
        case TEXT:
            break;
        case ANCHOR:
            put_anchor(at, root, with_paths);
            break;
        case NAMED:
        case FRAME:
            put_named(at);
            break;
        case LINK:
            put_link(at);
            break;
        case TEMPLATE:
            if (attribute_of(at, "shadowrootmode").data != NULL)
                put_named(at);
            break;
        case TITLE:
            if (!has_title && is_in_a_section(at)) {
                put_text_of(at, &columns[PAGE_TITLE], most_title_characters, 0);
                has_title = 1;
            }
            break;
        default:
            put_heading(at, (byte)(role - HEADING));
        }
        at = inside_or_after(at, root);
    }
}

static void forget_last_page(void)
{
    for (int i = 0; i < COLUMNS; i++)
        empty(&columns[i]);
    for (int i = 0; i < PLACE_COLUMNS; i++)
        empty(&places[i]);
    empty(&gathered);
    forget_hrefs();
    forget_blocks();
    anchors = headings = parts = left_out[0] = left_out[1] = left_out[2] = 0;
}


/* --- for element_reader.py ----------------------------------------------------------------------------------- */

/* `roles` and `parts_by_tag` are by tag, `size` of each; `options` are those of every document. `most` holds the limits: characters of an anchor text, a
 * heading and a title; headings; elements of a path, at most PATH_ROOM; bytes of a name in it and of all paths; steps
 * from a heading to its anchor; referring elements. `key` is 16 random bytes. */
void set_up(void *const *addresses, const byte *roles, const byte *parts_by_tag, size_t size, unsigned int options,
            const size_t *most, const byte *key)
{
    memcpy(&lexbor, addresses, sizeof lexbor);
    memcpy(role_of_tag, roles, size < ROLES ? size : ROLES);
    memcpy(part_of_tag, parts_by_tag, size < ROLES ? size : ROLES);
    document_options = options;
    most_anchor_characters = most[0];
    most_heading_characters = most[1];
    most_title_characters = most[2];
    most_headings = most[3];
    most_path_elements = most[4] < PATH_ROOM ? most[4] : PATH_ROOM;
    most_name_bytes = most[5];
    most_path_bytes = most[6];
    most_steps_to_anchor = most[7];
    most_parts = most[8];
    memcpy(hash_key, key, sizeof hash_key);
}

/* Fills `found`, reading at most `most_a` <a> elements with an href. Returns an enum outcome. */
int read_page(const byte *html, size_t size, size_t most_a, int with_text, int with_paths, int with_parts, int with_numbers)
{
    most_anchors = most_a;
    /* One for each page: a cleaned document still remembers the quirks mode of the previous page. */
    lxb_html_document_t *page = lexbor.lxb_html_document_create();
    if (page == NULL)
        return NO_MEMORY;
    document = (lxb_dom_document_t *)page;
    lexbor.lxb_html_document_dom_opt_set_noi(page, document_options);
    enum outcome outcome = lexbor.lxb_html_document_parse(page, html, size) == 0 ? READ : NOT_PARSED;
    node *root = NULL, *body = NULL;
    if (outcome == READ) {
        root = (node *)lexbor.lxb_dom_document_element_noi(document);
        body = (node *)lexbor.lxb_html_document_body_element_noi(page);
    }
    memory_is_short = 0;
    forget_last_page();
    if (root != NULL)
        walk(root, with_paths, with_parts);
    int has_body = body != NULL && lexbor.lxb_dom_node_parent_noi(body) != NULL; /* no frameset has taken its place */
    if (has_body && with_text && !memory_is_short)
        read_text(body, with_numbers ? &columns[BLOCK_NUMBERS] : NULL);
    lexbor.lxb_html_document_destroy(page);
    for (int i = 0; i < COLUMNS; i++)
        found[i] = (string){columns[i].data, columns[i].size};
    return memory_is_short ? (int)NO_MEMORY : (int)outcome;
}

/* Fills `found_places` with the text nodes of a body of another parser's tree, where in its text each begins (uint32),
 * where each block begins (uint32) and of what kind it is. Returns an enum outcome; `size` becomes the text's. */
int find_places(void *body, size_t *size)
{
    node *top = body; /* becomes the document */
    for (node *around = top; around != NULL; around = lexbor.lxb_dom_node_parent_noi(around))
        top = around;
    document = (lxb_dom_document_t *)top;
    memory_is_short = 0;
    forget_last_page();
    notes_places = 1;
    read_body(body);
    notes_places = 0;
    for (size_t i = 0; i < blocks.size; i++) {
        put(&places[BLOCK_STARTS], (const byte *)&blocks.at[i].start, sizeof blocks.at[i].start);
        put_byte(&places[BLOCK_KINDS], blocks.at[i].kind);
    }
    *size = columns[PAGE_TEXT].size;
    for (int i = 0; i < PLACE_COLUMNS; i++)
        found_places[i] = (string){places[i].data, places[i].size};
    return memory_is_short ? NO_MEMORY : READ;
}
