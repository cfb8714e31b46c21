/* The visible text of a page in blocks, and which of them are its main content: `text_blocks.py`, `block_features.py`
 * and `main_blocks.py` in C. Everything is in whole numbers, so that both give the same result on every machine.
 *
 * Included by element_reader.c, whose functions it uses.
 */

/* Of an element, in the order of text_blocks.py. */
enum shape { NO_SHAPE, BLOCK, SOFT, FORMAT, BREAK, RAISED, LATE, LINE };

/* Columns of a block's numbers, in the order of block_features.py. */
enum own_numbers {
    KIND, CHARS, WORDS, DIGITS, STOPS, COMMAS, UPPER, LINKED, LINKS, ENDS, IN_TITLE, DEPTH, POSITION, INDEX, REST,
    SINCE_HEADING, AFTER_H1, H1S, REPEATED, REPEATED_CHARS, COPIES, OWN_NUMBERS
};
enum { MARKS = 54, AROUND = 4, OF_AROUND = 5, NEXT_TO = 4, OF_NEXT = 3, WINDOWS = 2, OF_WINDOW = 3, PAGE_NUMBERS = 18 };
enum {
    FIRST_MARK = OWN_NUMBERS,
    FIRST_AROUND = FIRST_MARK + MARKS,
    FIRST_NEXT = FIRST_AROUND + AROUND * OF_AROUND,
    FIRST_WINDOW = FIRST_NEXT + NEXT_TO * OF_NEXT,
    FIRST_OF_PAGE = FIRST_WINDOW + WINDOWS * OF_WINDOW,
    NUMBERS = FIRST_OF_PAGE + PAGE_NUMBERS
};
enum { P_KIND = 1, H1_KIND = 2, H3_KIND = 4, PRE_KIND = 11, MARKED_WORDS = 32, BUCKETS = 256 };

typedef struct {
    uint32_t parent, blocks, chars, linked, stops, group, group_size, best, best_chars, above;
    uint64_t own, all;
    uint64_t last_sort; /* of the last child */
    uint32_t last_group, depth;
    byte kind;
} container;

typedef struct {
    uint32_t container, start, end, chars, words, digits, stops, commas, upper, linked, links;
    uint64_t marks; /* of inline elements around its text */
    byte kind, ends, in_title;
} block;

typedef struct {
    node *element;
    uint32_t container;
    uint64_t inline_marks;
    byte shape, is_link, is_pre;
} open_element;

/* As in tree_layout.py, which explains it. */
typedef struct {
    int32_t most;
    uint16_t number, next;
} tree_node;
enum { LANES = 6 };

static byte shape_of_tag[ROLES], kind_of_tag[ROLES], mark_of_tag[ROLES]; /* a mark's number + 1 */
static const uint16_t *word_steps;  /* of the automaton that finds words in names: [state][27] */
static const uint32_t *word_marks;  /* by state */
static const tree_node *tree_nodes;
static const uint32_t *tree_roots, *tree_steps; /* of each tree, and of each group of LANES trees */
static const uint32_t *chances;     /* by bucket of the score, in thousandths */
static size_t tree_groups;
static int32_t first_score, bucket_width;
static size_t most_blocks, most_containers;

static struct { container *at; size_t size, capacity; } containers;
static struct { block *at; size_t size, capacity; } blocks;
static struct { open_element *at; size_t size, capacity; } opened;
static struct {
    uint32_t container, links_due;
    uint64_t inline_marks;
    int in_block, is_space_due, is_break_due, starts, ends, is_raised, links, pres, blocks_left_out;
} place;

#define GROW(list, least) grow((void **)&(list).at, &(list).capacity, (least), sizeof *(list).at)

static int grow(void **data, size_t *capacity, size_t least, size_t size)
{
    if (least <= *capacity)
        return 1;
    size_t more = least * 2 + 64;
    void *grown = more > SIZE_MAX / 4 / size ? NULL : realloc(*data, more * size);
    if (grown == NULL) {
        memory_is_short = 1;
        return 0;
    }
    *data = grown;
    *capacity = more;
    return 1;
}

static void forget_blocks(void)
{
    if (containers.capacity > 4096) {
        free(containers.at);
        containers.at = NULL;
        containers.capacity = 0;
    }
    if (blocks.capacity > 4096) {
        free(blocks.at);
        blocks.at = NULL;
        blocks.capacity = 0;
    }
    if (opened.capacity > 4096) {
        free(opened.at);
        opened.at = NULL;
        opened.capacity = 0;
    }
    containers.size = blocks.size = opened.size = 0;
    memset(&place, 0, sizeof place);
}


/* --- elements ------------------------------------------------------------------------------------------------ */

static byte of_tag(const byte *table, node *at, byte unknown)
{
    uintptr_t tag = lexbor.lxb_dom_node_tag_id_noi(at);
    return tag < ROLES ? table[tag] : unknown;
}

/* Returns the marks of the words in a name, such as a class. */
static uint64_t marks_in(string name)
{
    size_t state = word_steps[26]; /* a name begins and ends like a word */
    uint32_t marks = word_marks[state];
    for (size_t i = 0; i < name.size; i++) {
        byte c = name.data[i];
        size_t letter = c >= 'a' && c <= 'z' ? c - 'a' : c >= 'A' && c <= 'Z' ? c - 'A' : 26;
        state = word_steps[state * 27 + letter];
        marks |= word_marks[state];
    }
    return marks | word_marks[word_steps[state * 27 + 26]];
}

static byte lowered(byte c)
{
    return c >= 'A' && c <= 'Z' ? (byte)(c + 32) : c;
}

/* Returns the place after `word`, in any case, at the beginning of [at, end); NULL if it is not there. */
static const byte *after_word(const byte *at, const byte *end, const char *word)
{
    for (; *word != 0; word++, at++)
        if (at >= end || lowered(*at) != (byte)*word)
            return NULL;
    return at;
}

static const byte *after_spaces(const byte *at, const byte *end)
{
    while (at < end && is_html_space(*at))
        at++;
    return at;
}

/* Returns whether a style has "display: none". */
static int hides(string style)
{
    const byte *end = style.data + style.size;
    for (const byte *at = style.data; at < end; at++) {
        const byte *next = after_word(at, end, "display");
        if (next == NULL)
            continue;
        next = after_spaces(next, end);
        if (next < end && *next == ':' && after_word(after_spaces(next + 1, end), end, "none") != NULL)
            return 1;
    }
    return 0;
}

static const char *const role_names[] = {"navigation", "menu", "menubar", "banner", "contentinfo", "complementary",
                                         "main", "article", "search", "dialog"};
/* In the order of TAGS in text_blocks.py. */
enum tag_marks { NAV_MARK, HEADER_MARK, FOOTER_MARK, ASIDE_MARK, ARTICLE_MARK, MAIN_MARK, FORM_MARK = 7, HIDDEN_MARK = 19 };
static const byte role_marks[] = {NAV_MARK, NAV_MARK, NAV_MARK, HEADER_MARK, FOOTER_MARK, ASIDE_MARK,
                                  MAIN_MARK, ARTICLE_MARK, FORM_MARK, HIDDEN_MARK};

static uint64_t tag_mark(int number)
{
    return (uint64_t)1 << (MARKED_WORDS + number);
}

static uint64_t role_mark(string role)
{
    const byte *end = role.data + role.size, *at = after_spaces(role.data, end);
    while (end > at && is_html_space(end[-1]))
        end--;
    for (size_t i = 0; i < sizeof role_marks; i++)
        if (after_word(at, end, role_names[i]) == end)
            return tag_mark(role_marks[i]);
    return 0;
}

/* Returns the marks of an element; `sort` becomes a hash of its tag and class. */
static uint64_t marks_of(node *element, uint64_t *sort, int *is_link)
{
    byte mark = of_tag(mark_of_tag, element, 0);
    uint64_t marks = mark ? tag_mark(mark - 1) : 0;
    string class = {NULL, 0};
    for (attribute *at = first_attribute(element); at != NULL; at = next_attribute(at)) {
        string name = name_of(at);
        if (name.size < 2 || name.size > 11)
            continue;
        if (is(name, "class")) {
            class = value_of(at);
            marks |= marks_in(class);
        } else if (is(name, "id") || is(name, "itemprop") || is(name, "aria-label") || is(name, "data-testid")) {
            marks |= marks_in(value_of(at));
        } else if (is(name, "role")) {
            marks |= marks_in(value_of(at)) | role_mark(value_of(at));
        } else if (is(name, "hidden") || (is(name, "aria-hidden") && is(value_of(at), "true"))
                   || (is(name, "style") && hides(value_of(at)))) {
            marks |= tag_mark(HIDDEN_MARK);
        } else if (is(name, "href")) {
            *is_link = 1;
        }
    }
    uint64_t hash = (14695981039346656037u ^ lexbor.lxb_dom_node_tag_id_noi(element)) * 1099511628211u; /* FNV-1a */
    for (size_t i = 0; i < class.size; i++)
        hash = (hash ^ class.data[i]) * 1099511628211u;
    *sort = hash | 1;
    return marks;
}

static int is_text_space(byte c)
{
    return is_html_space(c) || c == '\v';
}

static void end_block(void)
{
    if (place.in_block) {
        column *text = &columns[PAGE_TEXT];
        block *last = &blocks.at[blocks.size - 1];
        while (text->size > last->start && is_text_space(text->data[text->size - 1])) /* in a <pre> */
            text->size--;
        last->end = (uint32_t)text->size;
    }
    place.in_block = 0;
    place.is_break_due = 0;
}

static void open_container(node *element, uint64_t own, uint64_t sort)
{
    uint32_t number = (uint32_t)containers.size, parent = place.container;
    if (number >= most_containers || !GROW(containers, containers.size + 1))
        return;
    containers.size++;
    container *made = &containers.at[number];
    memset(made, 0, sizeof *made);
    made->parent = parent;
    made->own = own;
    made->all = own;
    made->group = number;
    made->kind = of_tag(kind_of_tag, element, 0);
    if (number > 0) {
        container *around = &containers.at[parent];
        made->all |= around->all;
        made->depth = around->depth + 1;
        if (around->last_sort == sort)
            made->group = around->last_group;
        around->last_sort = sort;
        around->last_group = made->group;
    }
    containers.at[made->group].group_size++;
    place.container = number;
}

static void enter_element(node *element)
{
    if (!is_element(element)) /* a comment, or a processing instruction, which has no attributes either */
        return;
    byte shape = of_tag(shape_of_tag, element, BLOCK);
    if (shape == BREAK) {
        if (place.in_block && place.is_break_due)
            end_block();
        else
            place.is_break_due = place.in_block;
        return;
    }
    if (place.pres && shape == BLOCK) { /* such as a line of code */
        shape = LINE;
        place.is_break_due = place.in_block;
    }
    if (!GROW(opened, opened.size + 1))
        return;
    open_element *made = &opened.at[opened.size++];
    *made = (open_element){element, place.container, place.inline_marks, shape, 0, 0};
    uint64_t sort = 0;
    int has_href = 0;
    int is_counted = blocks.size <= most_blocks; /* else the text alone is wanted */
    uint64_t marks = is_counted ? marks_of(element, &sort, &has_href) : 0;
    made->is_link = has_href && role_of(element) == ANCHOR;
    if (made->is_link) {
        place.links++;
        place.links_due++;
    }
    if (shape == BLOCK || shape == LATE) {
        end_block();
        if (is_counted)
            open_container(element, marks, sort);
        place.inline_marks = 0;
        made->is_pre = of_tag(kind_of_tag, element, 0) == PRE_KIND;
        place.pres += made->is_pre;
    } else {
        place.inline_marks |= marks;
        place.starts += shape == SOFT;
        place.is_raised |= shape == RAISED;
    }
}

static void leave_element(node *element)
{
    if (opened.size == 0 || opened.at[opened.size - 1].element != element)
        return;
    open_element left = opened.at[--opened.size];
    place.links -= left.is_link;
    place.pres -= left.is_pre;
    if (left.shape == BLOCK || left.shape == LATE)
        end_block();
    else {
        place.is_break_due |= left.shape == LINE && place.in_block;
        place.ends += left.shape == SOFT;
        place.is_raised |= left.shape == RAISED;
    }
    place.container = left.container;
    place.inline_marks = left.inline_marks;
}


/* --- text ---------------------------------------------------------------------------------------------------- */

static int is_letter(byte c)
{
    return c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Returns whether a letter that may continue a word begins here: no capital of the Latin, Greek or Cyrillic script. */
static int may_continue(const byte *at, const byte *end)
{
    byte next = end - at > 1 ? at[1] : 0;
    if (at[0] < 0x80)
        return at[0] >= 'a' && at[0] <= 'z';
    return !(at[0] == 0xc3 && next >= 0x80 && next <= 0x9e) && !(at[0] == 0xce && next >= 0x91 && next <= 0xab)
           && !(at[0] == 0xd0 && next >= 0x80 && next <= 0xaf);
}

/* Returns what separates the text before from the text at `at` in the same block; 0 for nothing. */
static byte separator(const byte *at, const byte *end)
{
    if (place.is_break_due)
        return '\n';
    if (place.is_space_due || place.is_raised)
        return ' ';
    if (!place.starts && !place.ends)
        return 0;
    byte before = columns[PAGE_TEXT].data[columns[PAGE_TEXT].size - 1];
    if (place.starts && place.ends)
        return memchr(",.;:!?)", *at, 7) != NULL ? 0 : ' ';
    int are_words = (is_letter(before) || (before >= '0' && before <= '9')) && (is_letter(*at) || (*at >= '0' && *at <= '9'));
    return are_words && !(is_letter(before) && may_continue(at, end)) ? ' ' : 0;
}

static void begin_block(void)
{
    if (columns[PAGE_TEXT].size > 0) {
        put_byte(&columns[PAGE_TEXT], '\n');
        put_byte(&columns[PAGE_TEXT], '\n');
    }
    if (!GROW(blocks, blocks.size + 1))
        return;
    block *made = &blocks.at[blocks.size++];
    memset(made, 0, sizeof *made);
    made->container = place.container;
    made->start = (uint32_t)columns[PAGE_TEXT].size;
    made->kind = containers.at[place.container].kind;
    place.in_block = 1;
    place.is_break_due = 0;
}

/* Counts a mark that ends a sentence or a part of one; `at` is where it begins, if there is one. */
static void count_stop(block *in, const byte *at, const byte *end)
{
    byte c = *at;
    if (c == ',') {
        in->commas++;
    } else if (c < 0x80) {
        in->stops += at + 1 == end || at[1] == ' ' || at[1] == '\n';
    } else if (end - at >= 3) {
        in->stops += c == 0xe3 && at[1] == 0x80 && at[2] == 0x82;
        in->commas += (c == 0xe3 && at[1] == 0x80 && at[2] == 0x81) || (c == 0xef && at[1] == 0xbc && at[2] == 0x8c);
    }
}

enum { SPACES = 0, DIGITS_SEEN = 16, CAPITALS = 32, INNER_BYTES = 48, MOST_SEEN = 0xffff };

/* By byte: 1 in the 16 bits of what it is, so that one addition counts it; inner bytes begin no character. */
static uint64_t seen_as[256];
static byte may_stop[256]; /* whether count_stop is needed */

static void set_up_counting(void)
{
    for (int c = 0; c < 256; c++) {
        uint64_t is_space = c == ' ' || c == '\n', is_digit = c >= '0' && c <= '9', is_capital = c >= 'A' && c <= 'Z';
        uint64_t is_inner = (c & 0xc0) == 0x80;
        seen_as[c] = is_space << SPACES | is_digit << DIGITS_SEEN | is_capital << CAPITALS | is_inner << INNER_BYTES;
        may_stop[c] = c == ',' || c == '.' || c == '!' || c == '?' || c == 0xe3 || c == 0xef;
    }
}

/* Counts what is in the text from `start` on, which was put for one text node. */
static void count(block *in, size_t start)
{
    const byte *at = columns[PAGE_TEXT].data + start, *end = columns[PAGE_TEXT].data + columns[PAGE_TEXT].size;
    uint32_t chars = (uint32_t)(end - at);
    while (at < end) {
        const byte *enough = end - at > MOST_SEEN ? at + MOST_SEEN : end;
        uint64_t seen = 0;
        for (; at < enough; at++) {
            seen += seen_as[*at];
            if (may_stop[*at])
                count_stop(in, at, end);
        }
        in->words += seen >> SPACES & MOST_SEEN;
        in->digits += seen >> DIGITS_SEEN & MOST_SEEN;
        in->upper += seen >> CAPITALS & MOST_SEEN;
        chars -= seen >> INNER_BYTES;
    }
    in->chars += chars;
    if (place.links)
        in->linked += chars;
    in->marks |= place.inline_marks;
}

/* Appends the text of a <pre>, line by line. */
static void put_lines(string text)
{
    column *to = &columns[PAGE_TEXT];
    const byte *at = text.data, *end = at + text.size;
    if (!place.in_block) {
        while (at < end && is_text_space(*at))
            at++;
        if (at < end)
            begin_block();
    }
    if (at < end && !memory_is_short && place.is_break_due && *at != '\n' && to->data[to->size - 1] != '\n')
        put_byte(to, '\n');
    while (at < end && !memory_is_short) {
        if (*at == '\n' && to->data[to->size - 1] == '\n')
            put_byte(to, ' '); /* an empty line would end the block */
        const byte *line_end = memchr(at, '\n', (size_t)(end - at));
        const byte *next = line_end == NULL ? end : line_end + 1;
        size_t i = to->size;
        put(to, at, (size_t)(next - at));
        for (; i < to->size; i++)
            if (to->data[i] == '\r' || to->data[i] == '\f')
                to->data[i] = ' ';
        at = next;
    }
}

static void put_words(string text)
{
    const byte *at = text.data, *end = at + text.size;
    int is_first = 1;
    while (at < end && !memory_is_short) {
        if (is_text_space(*at)) {
            place.is_space_due = 1;
            at++;
            continue;
        }
        const byte *word = at;
        while (at < end && !is_text_space(*at))
            at++;
        if (!place.in_block) {
            begin_block();
        } else {
            byte between = is_first ? separator(word, end) : ' ';
            if (between)
                put_byte(&columns[PAGE_TEXT], between);
        }
        place.is_space_due = place.is_break_due = place.starts = place.ends = place.is_raised = is_first = 0;
        put(&columns[PAGE_TEXT], word, (size_t)(at - word));
    }
}

/* Returns the text with each part that is not UTF-8 replaced by U+FFFD, as Python does, in `gathered`. */
static string replaced(string text)
{
    const byte *at = text.data, *end = at + text.size;
    gathered.size = 0;
    while (at < end) {
        byte c = *at;
        int more = c < 0xc2 ? 0 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : 0;
        byte least = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80, most = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
        size_t size = 1;
        for (; more > 0 && at + size < end && at[size] >= least && at[size] <= most; more--, size++)
            least = 0x80, most = 0xbf;
        if (c < 0x80 || (more == 0 && size > 1))
            put(&gathered, at, size);
        else
            put(&gathered, (const byte *)"\xef\xbf\xbd", 3);
        at += size;
    }
    return (string){gathered.data, gathered.size};
}

/* Appends the text of a node to its block. */
static void put_page_text(node *of)
{
    string copy = text_of(of), text = copy;
    if (!is_utf8(copy.data, copy.size))
        text = replaced(copy);
    size_t size = columns[PAGE_TEXT].size, number = blocks.size;
    if (place.pres)
        put_lines(text);
    else
        put_words(text);
    if (copy.data != NULL)
        give_back(copy);
    if (memory_is_short || !place.in_block || columns[PAGE_TEXT].size == size)
        return;
    if (blocks.size <= most_blocks) {
        block *in = &blocks.at[blocks.size - 1];
        count(in, blocks.size > number ? in->start : size);
        in->links += place.links_due;
        place.links_due = 0;
    }
    if (place.pres)
        place.is_space_due = place.is_break_due = place.starts = place.ends = place.is_raised = 0;
}


static int hides_late; /* whether there are elements of the shape LATE in the body */
static int notes_places;

/* Notes that the text of a node begins at the end of what there is so far. */
static void note_place(node *text)
{
    column *nodes = &places[TEXT_NODES], *starts = &places[TEXT_STARTS];
    uint32_t start = (uint32_t)columns[PAGE_TEXT].size, last;
    for (; starts->size > 0; starts->size -= sizeof last, nodes->size -= sizeof text) {
        memcpy(&last, starts->data + starts->size - sizeof last, sizeof last);
        if (last <= start) /* else white space at the end of a block was taken back */
            break;
    }
    put(nodes, (const byte *)&text, sizeof text);
    put(starts, (const byte *)&start, sizeof start);
}

/* Reads the text of the body. Elements of the shape LATE are read if `shows_late`. */
static void read_blocks(node *body, int shows_late)
{
    node *hidden = NULL, *at = body; /* hidden: the hidden element around us */
    columns[PAGE_TEXT].size = 0;
    forget_blocks();
    hides_late = 0;
    places[TEXT_NODES].size = places[TEXT_STARTS].size = 0;
    while (at != NULL && !memory_is_short) {
        enum role role = role_of(at);
        if (role == TEXT) {
            if (notes_places)
                note_place(at);
            put_page_text(at);
        } else {
            if (role == HIDDEN || role == FRAME || role == TITLE) {
                int is_late = of_tag(shape_of_tag, at, BLOCK) == LATE;
                hidden = shows_late && is_late ? NULL : at;
                hides_late |= is_late;
            }
            if (hidden == NULL)
                enter_element(at);
        }
        node *next = hidden == NULL ? lexbor.lxb_dom_node_first_child_noi(at) : NULL;
        hidden = NULL;
        while (next == NULL) {
            if (role_of(at) != TEXT)
                leave_element(at);
            if (at == body) {
                end_block();
                return;
            }
            next = lexbor.lxb_dom_node_next_noi(at);
            if (next == NULL)
                at = lexbor.lxb_dom_node_parent_noi(at);
        }
        at = next;
    }
}


/* --- numbers ------------------------------------------------------------------------------------------------- */

static uint32_t thousandths(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0 : (uint32_t)(part * 1000 / whole);
}

/* Adds up what is in each container. */
static void add_up(void)
{
    container *in = containers.at;
    for (size_t i = 0; i < blocks.size; i++) {
        block *each = &blocks.at[i];
        in[each->container].blocks++;
        in[each->container].chars += each->chars;
        in[each->container].linked += each->linked;
        in[each->container].stops += each->stops;
    }
    for (size_t i = containers.size; --i > 0;) {
        container *around = &in[in[i].parent];
        around->blocks += in[i].blocks;
        around->chars += in[i].chars;
        around->linked += in[i].linked;
        around->stops += in[i].stops;
    }
    for (size_t i = 1; i < containers.size; i++) {
        uint32_t parent = in[i].parent, alike = in[in[i].group].group_size;
        in[i].above = in[parent].blocks > in[i].blocks ? parent : in[parent].above;
        in[i].best = in[parent].best;
        in[i].best_chars = in[parent].best_chars;
        if (alike > in[i].best) {
            in[i].best = alike;
            in[i].best_chars = in[i].chars;
        }
    }
}

static const byte *find(const byte *in, size_t size, const byte *what, size_t length)
{
    for (size_t i = 0; i + length <= size; i++)
        if (in[i] == what[0] && memcmp(in + i, what, length) == 0)
            return in + i;
    return NULL;
}

/* Sets what is known about a block from its own text. */
static void look_at_text(block *of)
{
    const byte *text = columns[PAGE_TEXT].data + of->start;
    size_t size = of->end - of->start;
    string title = {columns[PAGE_TITLE].data, columns[PAGE_TITLE].size};
    byte last = size ? text[size - 1] : 0;
    of->ends = last == '.' || last == '!' || last == '?' ? 1 : last == ':' ? 2 : 0;
    of->words++;
    if (size >= 8 && size <= title.size && find(title.data, title.size, text, size) != NULL)
        of->in_title = size == title.size ? 2 : 1;
}

static uint32_t chars_with(uint64_t mark, int of_blocks)
{
    uint64_t found = 0;
    for (size_t i = 0; i < blocks.size; i++)
        if ((containers.at[blocks.at[i].container].all | blocks.at[i].marks) & mark)
            found += of_blocks ? 1 : blocks.at[i].chars;
    return (uint32_t)found;
}

static void put_numbers_of_page(int32_t *to)
{
    container *body = &containers.at[0];
    uint32_t most = 0, longs = 0, long_chars = 0, subheadings = 0, in_p = 0, articles = 0, mains = 0;
    for (size_t i = 0; i < blocks.size; i++) {
        block *each = &blocks.at[i];
        most = each->chars > most ? each->chars : most;
        longs += each->chars > 200;
        long_chars += each->chars > 150 ? each->chars : 0;
        subheadings += each->kind > H1_KIND && each->kind <= H3_KIND;
        in_p += each->kind == P_KIND ? each->chars : 0;
    }
    for (size_t i = 0; i < containers.size; i++) {
        articles += (containers.at[i].own & tag_mark(ARTICLE_MARK)) != 0;
        mains += (containers.at[i].own & tag_mark(MAIN_MARK)) != 0;
    }
    int32_t numbers[PAGE_NUMBERS] = {
        (int32_t)body->chars,
        (int32_t)thousandths(body->linked, body->chars),
        (int32_t)blocks.size,
        (int32_t)thousandths(body->stops, body->chars),
        (int32_t)most,
        (int32_t)longs,
        (int32_t)thousandths(long_chars, body->chars),
        (int32_t)thousandths(in_p, body->chars),
        (int32_t)subheadings,
        (int32_t)articles,
        (int32_t)mains,
        (int32_t)thousandths(chars_with(tag_mark(MAIN_MARK), 0), body->chars),
        (int32_t)thousandths(chars_with(tag_mark(ARTICLE_MARK), 0), body->chars),
        (int32_t)thousandths(chars_with(tag_mark(NAV_MARK), 0), body->chars),
        (int32_t)thousandths(chars_with(tag_mark(FOOTER_MARK), 0), body->chars),
        (int32_t)thousandths(chars_with(1u << 4, 1), blocks.size),  /* comments */
        (int32_t)thousandths(chars_with(1u << 19, 1), blocks.size), /* products */
        (int32_t)thousandths(chars_with(1u << 22, 1), blocks.size), /* messages */
    };
    memcpy(to, numbers, sizeof numbers);
}

/* Sums over the blocks before each one, for windows. */
typedef struct {
    uint64_t chars, linked, stops;
} sums;

typedef struct {
    int32_t of_page[PAGE_NUMBERS];
    int32_t first_h1; /* -1 without one */
    int32_t h1s;
    sums *before; /* one more than blocks */
    uint32_t *since_heading, *copies;
} page_numbers;

static void put_numbers_around(int32_t *to, const block *of)
{
    uint32_t total = containers.at[0].chars, at = of->container;
    for (int i = 0; i < AROUND; i++, to += OF_AROUND) {
        const container *around = &containers.at[at];
        to[0] = (int32_t)around->chars;
        to[1] = (int32_t)thousandths(around->linked, around->chars);
        to[2] = (int32_t)around->blocks;
        to[3] = (int32_t)thousandths(around->stops, around->chars);
        to[4] = (int32_t)thousandths(around->chars, total);
        at = around->above;
    }
}

static void put_numbers_of(size_t number, const page_numbers *page_has, int32_t *to)
{
    static const int next_to[NEXT_TO] = {-1, 1, -2, 2}, windows[WINDOWS] = {3, 10};
    const block *of = &blocks.at[number];
    const container *in = &containers.at[of->container];
    uint64_t before = page_has->before[number].chars;
    to[KIND] = of->kind;
    to[CHARS] = (int32_t)of->chars;
    to[WORDS] = (int32_t)of->words;
    to[DIGITS] = (int32_t)thousandths(of->digits, of->chars);
    to[STOPS] = (int32_t)of->stops;
    to[COMMAS] = (int32_t)of->commas;
    to[UPPER] = (int32_t)thousandths(of->upper, of->chars);
    to[LINKED] = (int32_t)thousandths(of->linked, of->chars);
    to[LINKS] = (int32_t)of->links;
    to[ENDS] = of->ends;
    to[IN_TITLE] = of->in_title;
    to[DEPTH] = (int32_t)in->depth;
    to[POSITION] = (int32_t)thousandths(before, containers.at[0].chars);
    to[INDEX] = (int32_t)number;
    to[REST] = (int32_t)(blocks.size - 1 - number);
    to[SINCE_HEADING] = (int32_t)page_has->since_heading[number];
    to[AFTER_H1] = page_has->first_h1 < 0 ? -9999 : (int32_t)number - page_has->first_h1;
    to[H1S] = page_has->h1s;
    to[REPEATED] = (int32_t)in->best;
    to[REPEATED_CHARS] = (int32_t)in->best_chars;
    to[COPIES] = (int32_t)page_has->copies[number];
    uint64_t own = in->own | of->marks, near = own, all = in->all | of->marks;
    const container *parent = &containers.at[in->parent];
    near |= parent->own | containers.at[parent->parent].own;
    memset(to + FIRST_MARK, 0, MARKS * sizeof *to);
    for (uint64_t left = all | near | own; left != 0; left &= left - 1) { /* most are not there */
        int i = __builtin_ctzll(left);
        to[FIRST_MARK + i] = (int32_t)((all >> i & 1) + (near >> i & 1) + (own >> i & 1));
    }
    put_numbers_around(to + FIRST_AROUND, of);
    for (int i = 0; i < NEXT_TO; i++) {
        int64_t other = (int64_t)number + next_to[i];
        int32_t *next = to + FIRST_NEXT + i * OF_NEXT;
        if (other < 0 || other >= (int64_t)blocks.size) {
            next[0] = 0, next[1] = -1, next[2] = 0;
            continue;
        }
        next[0] = (int32_t)blocks.at[other].chars;
        next[1] = (int32_t)thousandths(blocks.at[other].linked, blocks.at[other].chars);
        next[2] = blocks.at[other].kind;
    }
    for (int i = 0; i < WINDOWS; i++) {
        size_t reach = (size_t)windows[i], low = number > reach ? number - reach : 0;
        size_t high = number + reach + 1 < blocks.size ? number + reach + 1 : blocks.size;
        sums a = page_has->before[low], b = page_has->before[high];
        int32_t *window = to + FIRST_WINDOW + i * OF_WINDOW;
        window[0] = (int32_t)((b.chars - a.chars) / (high - low));
        window[1] = (int32_t)thousandths(b.linked - a.linked, b.chars - a.chars);
        window[2] = (int32_t)thousandths(b.stops - a.stops, b.chars - a.chars);
    }
    memcpy(to + FIRST_OF_PAGE, page_has->of_page, sizeof page_has->of_page);
}


/* --- the main content ---------------------------------------------------------------------------------------- */

/* After the numbers of a block comes one that is less than all thresholds. */
static int32_t score(const int32_t *numbers)
{
    const tree_node *nodes = tree_nodes;
    int32_t sum = first_score;
    for (size_t group = 0; group < tree_groups; group++) {
        uint32_t at[LANES]; /* kept in registers, if the loops over it are unrolled */
#pragma GCC unroll 6
        for (int lane = 0; lane < LANES; lane++)
            at[lane] = tree_roots[group * LANES + lane];
        for (uint32_t step = 0; step < tree_steps[group]; step++)
#pragma GCC unroll 6
            for (int lane = 0; lane < LANES; lane++) {
                const tree_node *node = &nodes[at[lane]];
                at[lane] = node->next + (uint32_t)(numbers[node->number] > node->most);
            }
#pragma GCC unroll 6
        for (int lane = 0; lane < LANES; lane++)
            sum += nodes[at[lane]].most;
    }
    return sum;
}

static void put_number(column *to, size_t number)
{
    for (; number >= 0x80; number >>= 7)
        put_byte(to, (byte)(number | 0x80));
    put_byte(to, (byte)number);
}

/* Returns the least bucket of main content: the one that promises the highest F of the words; see main_blocks.py. */
static size_t least_bucket(const uint64_t *words)
{
    uint64_t total = 0, inside = 0, size = 0, best_above = 0, best_below = 1;
    size_t least = BUCKETS;
    for (size_t i = 0; i < BUCKETS; i++)
        total += words[i] * chances[i];
    total = total * 4 / 5;
    for (size_t i = BUCKETS; i-- > 0;) {
        if (words[i] == 0)
            continue;
        inside += words[i] * chances[i];
        size += words[i] * 1000;
        if (inside * best_below > best_above * (size + total)) {
            best_above = inside;
            best_below = size + total;
            least = i;
        }
    }
    return least;
}

/* Returns what a block is a part of that is kept whole: 1 for code, 2 for a table, 3 for definitions, else 0. */
static int part_of(const block *of)
{
    static const byte parts[] = {[6] = 2, [7] = 2, [8] = 3, [9] = 3, [PRE_KIND] = 1};
    return of->kind < sizeof parts ? parts[of->kind] : 0;
}

/* Keeps the parts of a table or a list of definitions together, and code with the text beside it. */
static void keep_whole(byte *are_main)
{
    for (size_t start = 0, end; start < blocks.size; start = end) {
        int kept = part_of(&blocks.at[start]);
        uint64_t all = 0, inside = 0;
        for (end = start; end < blocks.size && (end == start || (kept && part_of(&blocks.at[end]) == kept)); end++) {
            all += blocks.at[end].words;
            inside += are_main[end] ? blocks.at[end].words : 0;
        }
        if (!kept)
            continue;
        int beside = (start > 0 && are_main[start - 1]) || (end < blocks.size && are_main[end]);
        memset(are_main + start, 2 * inside >= all || (kept == 1 && beside), end - start);
    }
}

/* Counts how often each block's text is on the page. Returns 0 without memory. */
static int count_copies(uint32_t *copies)
{
    size_t room = 64;
    while (room < 2 * blocks.size)
        room *= 2;
    uint64_t *hashes = calloc(room, sizeof *hashes);
    uint32_t *counts = calloc(room, sizeof *counts);
    int is_done = hashes != NULL && counts != NULL;
    for (size_t i = 0; is_done && i < blocks.size; i++) {
        block *each = &blocks.at[i];
        uint64_t hash = hash_of((string){columns[PAGE_TEXT].data + each->start, each->end - each->start}) | 1;
        size_t at = hash & (room - 1);
        while (hashes[at] != 0 && hashes[at] != hash)
            at = (at + 1) & (room - 1);
        hashes[at] = hash;
        counts[at]++;
        copies[i] = (uint32_t)at;
    }
    for (size_t i = 0; is_done && i < blocks.size; i++)
        copies[i] = counts[copies[i]];
    free(hashes);
    free(counts);
    return is_done;
}

/* Appends the lengths of runs of blocks that are in turn not main content and main content. */
static void put_main(column *to, column *numbers_of_blocks)
{
    if (blocks.size == 0 || blocks.size > most_blocks || memory_is_short)
        return;
    page_numbers has = {.first_h1 = -1};
    has.before = malloc((blocks.size + 1) * sizeof *has.before);
    has.since_heading = malloc(blocks.size * sizeof *has.since_heading);
    has.copies = malloc(blocks.size * sizeof *has.copies);
    byte *buckets = malloc(blocks.size);
    uint64_t words[BUCKETS] = {0};
    if (has.before == NULL || has.since_heading == NULL || has.copies == NULL || buckets == NULL
        || !count_copies(has.copies)) {
        memory_is_short = 1;
        goto done;
    }
    sums sum = {0, 0, 0};
    uint32_t since = 99;
    for (size_t i = 0; i < blocks.size; i++) {
        block *each = &blocks.at[i];
        look_at_text(each);
        has.before[i] = sum;
        sum.chars += each->chars, sum.linked += each->linked, sum.stops += each->stops;
        since = each->kind >= H1_KIND && each->kind <= H3_KIND ? 0 : since < 99 ? since + 1 : 99;
        has.since_heading[i] = since;
        if (each->kind == H1_KIND) {
            has.first_h1 = has.h1s++ == 0 ? (int32_t)i : has.first_h1;
        }
    }
    has.before[blocks.size] = sum;
    add_up();
    put_numbers_of_page(has.of_page);
    int32_t numbers[NUMBERS + 1];
    numbers[NUMBERS] = INT32_MIN;
    for (size_t i = 0; i < blocks.size; i++) {
        put_numbers_of(i, &has, numbers);
        if (numbers_of_blocks != NULL)
            put(numbers_of_blocks, (const byte *)numbers, NUMBERS * sizeof *numbers);
        int32_t above = score(numbers) + BUCKETS / 2 * bucket_width; /* the least bucket */
        int32_t bucket = above < 0 ? 0 : above / bucket_width;
        buckets[i] = (byte)(bucket < BUCKETS ? bucket : BUCKETS - 1);
        words[buckets[i]] += blocks.at[i].words;
    }
    size_t least = least_bucket(words), run = 0;
    for (size_t i = 0; i < blocks.size; i++)
        buckets[i] = buckets[i] >= least;
    keep_whole(buckets);
    int is_main = 0;
    for (size_t i = 0; i < blocks.size; i++, run++)
        if (buckets[i] != is_main) {
            put_number(to, run);
            is_main = !is_main;
            run = 0;
        }
    put_number(to, run);
done:
    free(has.before);
    free(has.since_heading);
    free(has.copies);
    free(buckets);
}

enum { LITTLE_TEXT = 250, ENOUGH_TEXT = 500 };

/* Reads the text of the body. That for readers without scripts counts if there is little else. */
static void read_body(node *body)
{
    read_blocks(body, 0);
    if (columns[PAGE_TEXT].size < LITTLE_TEXT && hides_late) {
        read_blocks(body, 1);
        if (columns[PAGE_TEXT].size < ENOUGH_TEXT)
            read_blocks(body, 0);
    }
}

/* Reads the text and the main content of the body. */
static void read_text(node *body, column *numbers_of_blocks)
{
    read_body(body);
    put_main(&columns[MAIN_BLOCKS], numbers_of_blocks);
}

/* Takes the tables of text_blocks.py and the model of main_blocks.py, which must stay where they are. `shapes`, `kinds`
 * and `marks` are by tag. `most` holds the limits of blocks and containers. */
void set_up_blocks(const byte *shapes, const byte *kinds, const byte *marks, size_t tags, const uint16_t *steps,
                   const uint32_t *words, const tree_node *nodes, const uint32_t *roots, const uint32_t *tree_steps_of,
                   size_t groups, int32_t first, int32_t width, const uint32_t *chances_of, const size_t *most)
{
    memset(shape_of_tag, BLOCK, sizeof shape_of_tag);
    memcpy(shape_of_tag, shapes, tags < ROLES ? tags : ROLES);
    memcpy(kind_of_tag, kinds, tags < ROLES ? tags : ROLES);
    memcpy(mark_of_tag, marks, tags < ROLES ? tags : ROLES);
    set_up_counting();
    word_steps = steps;
    word_marks = words;
    tree_nodes = nodes;
    tree_roots = roots;
    tree_steps = tree_steps_of;
    tree_groups = groups;
    first_score = first;
    bucket_width = width;
    chances = chances_of;
    most_blocks = most[0];
    most_containers = most[1];
}
