/* CommonMark with tables and strikethrough → struct cv_rich. cmark-gfm parses; its tree is walked
 * by its iterator, without recursion. */
#include "canvas/model/limits.h"
#include "canvas/rich/rich.h"
#include "lib/base/mem.h"
#include "lib/base/one_of.h"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define INDENT 40.0
#define QUOTE_MARGIN 16.0
#define CODE_MARGIN 13.0
#define TABLE_GAP 8
#define RULE_MARGIN 8.0
#define BAR_BACK 16.0 /* a quote's bar stands this far left of its words */
#define MAX_LISTS 32
#define MAX_COLUMNS 64
/* cmark takes quadratic time for some long runs of these; past this many the source is shown as it
 * is. */
#define MAX_SIGNS 16384
#define PART_LINES 256
#define MAX_LINES 65536
#define MAX_CELLS 200000 /* short rows are filled up to the longest by it */
#define MAX_PIPES 256    /* in a line */
#define MAX_WORK 4500000 /* of one source */

struct markdown_list {
    bool is_ordered;
    int number;
};

struct maker {
    struct cv_arena *arena;
    struct cv_texts *texts;
    const struct cv_theme *theme;
    const struct cv_font *body;
    struct cv_rich *rich;
    double left, right, margin; /* margin: what the containers ask for above the next block */
    double bars[CV_RICH_MAX_BARS];
    unsigned quotes;
    struct markdown_list lists[MAX_LISTS];
    unsigned list_count;
    char marker[16]; /* waits for its item's first block; "" none */
    /* the text under construction */
    struct oc_buf text;
    struct cv_text_span *spans;
    size_t span_count, span_cap;
    unsigned bold, italic, strike, link;
    const char *url;
    struct cv_rich_link *links;
    struct cv_rich_table *table;
    size_t row, column; /* of the table; row is counted from 1 */
    struct cv_rich_budget *budget;
    struct oc_buf plain;
};

static struct cv_text_style style_of(const struct maker *m, const struct cv_font *f) {
    return (struct cv_text_style){ .family = m->theme->family,
        .size_px = f->size_px,
        .line_px = f->line_px,
        .weight = f->weight,
        .italic = f->italic,
        .color = f->color };
}

static void markdown_say(struct maker *m, const char *text, size_t len) {
    if (m->plain.len) {
        (void)oc_buf_putc(&m->plain, '\n');
    }
    (void)oc_buf_append(&m->plain, text, len);
}

/* Starts anew; what was built has been handed to a block. */
static void reset_inline(struct maker *m) {
    oc_buf_clear(&m->text);
    m->span_count = 0;
    m->links = NULL;
}

static struct cv_text *take_text(struct maker *m, struct cv_text_style *style) {
    while (m->text.len && m->text.data[m->text.len - 1] == ' ') {
        m->text.data[--m->text.len] = '\0';
    }
    size_t n = m->span_count;
    while (n && m->spans[n - 1].from >= m->text.len) {
        n--;
    }
    if (n && m->spans[n - 1].to > m->text.len) {
        m->spans[n - 1].to = m->text.len;
    }
    style->spans = m->spans;
    style->span_count = n;
    markdown_say(m, m->text.data ? m->text.data : "", m->text.len);
    return cv_text_get(
            m->texts, (struct oc_slice){ m->text.data ? m->text.data : "", m->text.len }, style);
}

/* One more block, or so many more cells? */
static bool may_add(struct maker *m, size_t count) {
    struct cv_rich_budget *b = m->budget;
    if (count > b->blocks) {
        b->is_cut = true;
        b->blocks = 0;
        return false;
    }
    b->blocks -= count;
    return true;
}

static struct cv_rich_block *add_block(struct maker *m, enum cv_rich_kind kind, double margin) {
    struct cv_rich_block *b = cv_arena_alloc(m->arena, sizeof(*b));
    struct cv_rich_block *before = m->rich->last;
    b->kind = kind;
    b->left = m->left;
    b->right = m->right;
    b->above = m->margin > margin ? m->margin : margin;
    b->bar_count = m->quotes < CV_RICH_MAX_BARS ? m->quotes : CV_RICH_MAX_BARS;
    if (b->bar_count) {
        double *bars = cv_arena_alloc(m->arena, b->bar_count * sizeof(*bars));
        memcpy(bars, m->bars, b->bar_count * sizeof(*bars));
        b->bars = bars;
    }
    b->joins_bar = before && before->bar_count == b->bar_count && b->bar_count &&
                   before->bars[b->bar_count - 1] == b->bars[b->bar_count - 1];
    m->margin = margin;
    if (m->marker[0]) {
        struct cv_text_style style = style_of(m, m->body);
        b->marker =
                cv_text_get(m->texts, (struct oc_slice){ m->marker, strlen(m->marker) }, &style);
        m->marker[0] = '\0';
    }
    if (before) {
        before->next = b;
    } else {
        m->rich->first = b;
    }
    m->rich->last = b;
    return b;
}

/* At least so much above the next block, unless it is the first. */
static void markdown_leave(struct maker *m, double margin) {
    if (m->rich->first && m->margin < margin) {
        m->margin = margin;
    }
}

static void add_text(struct maker *m, const struct cv_font *font) {
    struct cv_rich_block *b = add_block(m, CV_RICH_TEXT, 0);
    struct cv_text_style style = style_of(m, font);
    b->text = take_text(m, &style);
    b->links = m->links;
    m->margin = font->space_below;
    reset_inline(m);
}

static void mark_span(struct maker *m, size_t from, bool is_mono) {
    if (!(m->bold || m->italic || m->strike || m->link || is_mono) || m->text.len == from) {
        return;
    }
    struct cv_text_span s = { .from = from,
        .to = m->text.len,
        .bold = m->bold > 0,
        .italic = m->italic > 0,
        .strike = m->strike > 0,
        .underline = m->link > 0,
        .mono = is_mono,
        .has_color = m->link > 0,
        .color = m->theme->link };
    if (m->span_count == m->span_cap) {
        m->span_cap = m->span_cap ? 2 * m->span_cap : 16;
        m->spans = oc_realloc(m->spans, m->span_cap * sizeof(*m->spans));
    }
    m->spans[m->span_count++] = s;
}

/* White space counts as one space, as in HTML. */
static void put_words(struct maker *m, const char *s, bool is_mono) {
    size_t from = m->text.len;
    for (; s && *s; s++) {
        bool is_space = *s == ' ' || *s == '\n' || *s == '\t' || *s == '\r';
        bool is_after_space = !m->text.len || m->text.data[m->text.len - 1] == ' ' ||
                              m->text.data[m->text.len - 1] == '\n';
        if (!is_space) {
            (void)oc_buf_putc(&m->text, *s);
        } else if (!is_after_space) {
            (void)oc_buf_putc(&m->text, ' ');
        }
    }
    mark_span(m, from, is_mono);
}

static void put_break(struct maker *m) {
    while (m->text.len && m->text.data[m->text.len - 1] == ' ') {
        m->text.len--;
    }
    (void)oc_buf_putc(&m->text, '\n');
}

static bool is_allowed(const char *url) {
    static const char *const schemes[] = { "http://", "https://", "mailto:", "tel:" };
    for (size_t i = 0; i < OC_COUNT(schemes); i++) {
        if (strncasecmp(url, schemes[i], strlen(schemes[i])) == 0) {
            return true;
        }
    }
    return false;
}

static void on_link(struct maker *m, cmark_node *node, bool is_enter) {
    const char *url = cmark_node_get_url(node);
    if (!is_allowed(url)) { /* no link, but nothing of it is hidden either */
        if (!is_enter && *url) {
            put_words(m, " (", false);
            put_words(m, url, false);
            put_words(m, ")", false);
        }
        return;
    }
    if (is_enter) {
        m->link++;
        struct cv_rich_link *l = cv_arena_alloc(m->arena, sizeof(*l));
        *l = (struct cv_rich_link){ .from = m->text.len,
            .to = SIZE_MAX,
            .url = cv_arena_strndup(m->arena, url, strlen(url)),
            .next = m->links };
        m->links = l;
        return;
    }
    m->link--;
    if (m->links && m->links->to == SIZE_MAX) {
        m->links->to = m->text.len;
    }
}

/* The extensions' types have numbers only at run time. */
static bool is_of(cmark_node *node, const char *type) {
    return strcmp(cmark_node_get_type_string(node), type) == 0;
}

static void on_inline(struct maker *m, cmark_node *node, bool is_enter) {
    cmark_node_type type = cmark_node_get_type(node);
    unsigned by = is_enter ? 1u : -1u;
    if (type == CMARK_NODE_STRONG) {
        m->bold += by;
    } else if (type == CMARK_NODE_EMPH) {
        m->italic += by;
    } else if (is_of(node, "strikethrough")) {
        m->strike += by;
    } else if (type == CMARK_NODE_LINK) {
        on_link(m, node, is_enter);
    } else if (type == CMARK_NODE_IMAGE) {
        if (is_enter && !cmark_node_first_child(node)) { /* no description: its address must do */
            put_words(m, cmark_node_get_url(node), false);
        }
    } else if (!is_enter) {
        return;
    } else if (type == CMARK_NODE_SOFTBREAK) {
        put_words(m, " ", false);
    } else if (type == CMARK_NODE_LINEBREAK) {
        put_break(m);
    } else {
        put_words(m, cmark_node_get_literal(node), type == CMARK_NODE_CODE);
    }
}

static void add_code(struct maker *m, const char *literal) {
    size_t len = strlen(literal);
    if (len && literal[len - 1] == '\n') {
        len--;
    }
    struct cv_rich_block *b = add_block(m, CV_RICH_CODE, CODE_MARGIN);
    struct cv_font font = { .size_px = m->theme->code_px,
        .line_px = m->theme->code_px + 2,
        .weight = 400,
        .color = m->theme->text_color };
    struct cv_text_style style = style_of(m, &font);
    style.family = m->theme->mono_family;
    style.keep_spaces = true;
    b->text = cv_text_get(m->texts, (struct oc_slice){ literal, len }, &style);
    markdown_say(m, literal, len);
}

static const struct cv_font *heading_font(const struct maker *m, int level) {
    static const enum cv_text_hint hints[] = { CV_HINT_H1, CV_HINT_H2, CV_HINT_H3, CV_HINT_H4,
        CV_HINT_H5, CV_HINT_H5 };
    return &m->theme->text[hints[level >= 1 && level <= 6 ? level - 1 : 5]];
}

static void on_list(struct maker *m, cmark_node *node, bool is_enter) {
    if (!is_enter) {
        m->left -= INDENT;
        m->list_count--;
        return;
    }
    m->left += INDENT;
    struct markdown_list *l = &m->lists[m->list_count < MAX_LISTS ? m->list_count : MAX_LISTS - 1];
    l->is_ordered = cmark_node_get_list_type(node) == CMARK_ORDERED_LIST;
    l->number = cmark_node_get_list_start(node);
    m->list_count++;
}

static void on_item(struct maker *m, bool is_enter) {
    static const char *const bullets[] = { "•", "◦", "▪" };
    if (!is_enter) {
        if (m->marker[0]) { /* nothing in it */
            add_text(m, m->body);
        }
        return;
    }
    if (m->marker[0]) { /* a list begins right in an item: "- - x" */
        add_text(m, m->body);
    }
    unsigned depth = m->list_count < MAX_LISTS ? m->list_count : MAX_LISTS;
    struct markdown_list *l = &m->lists[depth ? depth - 1 : 0];
    if (l->is_ordered) {
        snprintf(m->marker, sizeof(m->marker), "%d.", l->number++);
    } else {
        snprintf(m->marker, sizeof(m->marker), "%s",
                bullets[depth > 3 ? 2
                        : depth   ? depth - 1
                                  : 0]);
    }
}

static void on_quote(struct maker *m, bool is_enter) {
    if (m->margin < QUOTE_MARGIN) {
        m->margin = QUOTE_MARGIN;
    }
    m->left += is_enter ? INDENT : -INDENT;
    m->right += is_enter ? INDENT : -INDENT;
    if (is_enter && m->quotes < CV_RICH_MAX_BARS) {
        m->bars[m->quotes] = m->left - BAR_BACK;
    }
    m->quotes += is_enter ? 1u : -1u;
}

static size_t count_rows(cmark_node *table) {
    size_t n = 0;
    for (cmark_node *row = cmark_node_first_child(table); row; row = cmark_node_next(row)) {
        n++;
    }
    return n;
}

static void on_table(struct maker *m, cmark_node *node, bool is_enter) {
    struct cv_rich_table *t = m->table;
    if (!is_enter && t) {
        struct cv_text_style style = style_of(m, m->body);
        for (size_t i = 0; i < t->columns * t->rows; i++) { /* rows may be short */
            if (!t->cells[i]) {
                t->cells[i] = cv_text_get(m->texts, (struct oc_slice){ "", 0 }, &style);
            }
        }
        m->table = NULL;
    }
    if (!is_enter) {
        return;
    }
    size_t columns = cmark_gfm_extensions_get_table_columns(node);
    columns = columns < MAX_COLUMNS ? columns : MAX_COLUMNS;
    size_t rows = count_rows(node);
    if (!may_add(m, columns * rows)) {
        return;
    }
    t = cv_arena_alloc(m->arena, sizeof(*t));
    t->columns = columns;
    t->rows = rows;
    t->cells = cv_arena_alloc(m->arena, (t->columns * t->rows + 1) * sizeof(struct cv_text *));
    t->widths = cv_arena_alloc(m->arena, (t->columns + 1) * sizeof(*t->widths));
    t->heights = cv_arena_alloc(m->arena, (t->rows + 1) * sizeof(*t->heights));
    markdown_leave(m, TABLE_GAP);
    add_block(m, CV_RICH_TABLE, 4)->table = t;
    m->table = t;
    m->row = 0;
}

static void on_cell(struct maker *m, cmark_node *node, bool is_enter) {
    if (is_enter) {
        return;
    }
    cmark_node *row = cmark_node_parent(node);
    size_t column = m->column++;
    struct cv_rich_table *t = m->table;
    if (t && column < t->columns && m->row >= 1 && m->row <= t->rows) {
        uint8_t *aligns = cmark_gfm_extensions_get_table_alignments(cmark_node_parent(row));
        struct cv_text_style style = style_of(m, m->body);
        style.align = !aligns                 ? CV_ALIGN_START
                      : aligns[column] == 'c' ? CV_ALIGN_CENTER
                      : aligns[column] == 'r' ? CV_ALIGN_END
                                              : CV_ALIGN_START;
        if (cmark_gfm_extensions_get_table_row_is_header(row)) {
            style.weight = 700;
        }
        t->cells[(m->row - 1) * t->columns + column] = take_text(m, &style);
    }
    reset_inline(m);
}

static void on_block(struct maker *m, cmark_node *node, bool is_enter) {
    cmark_node_type type = cmark_node_get_type(node);
    switch ((unsigned)type) {
    case CMARK_NODE_BLOCK_QUOTE:
        on_quote(m, is_enter);
        return;
    case CMARK_NODE_LIST:
        on_list(m, node, is_enter);
        return;
    case CMARK_NODE_ITEM:
        on_item(m, is_enter);
        return;
    case CMARK_NODE_CODE_BLOCK:
        add_code(m, cmark_node_get_literal(node));
        return;
    case CMARK_NODE_THEMATIC_BREAK:
        (void)add_block(m, CV_RICH_RULE, RULE_MARGIN);
        return;
    case CMARK_NODE_HTML_BLOCK:
        put_words(m, cmark_node_get_literal(node), false);
        add_text(m, m->body);
        return;
    case CMARK_NODE_PARAGRAPH:
        if (!is_enter) {
            cmark_node *before = cmark_node_previous(node);
            if (before && cmark_node_get_type(before) == CMARK_NODE_PARAGRAPH) {
                markdown_leave(m, m->body->line_px / 2);
            }
            add_text(m, m->body);
        }
        return;
    case CMARK_NODE_HEADING:
        if (!is_enter) {
            add_text(m, heading_font(m, cmark_node_get_heading_level(node)));
        }
        return;
    default:
        break;
    }
    if (is_of(node, "table")) {
        on_table(m, node, is_enter);
    } else if (is_of(node, "table_cell")) {
        on_cell(m, node, is_enter);
    } else if (is_enter && (is_of(node, "table_row") || is_of(node, "table_header"))) {
        m->row++, m->column = 0;
    }
}

static cmark_node *markdown_parse(const char *source, size_t len) {
    cmark_gfm_core_extensions_ensure_registered();
    cmark_parser *p = cmark_parser_new(CMARK_OPT_DEFAULT | CMARK_OPT_STRIKETHROUGH_DOUBLE_TILDE);
    static const char *const names[] = { "table", "strikethrough" };
    for (size_t i = 0; i < OC_COUNT(names); i++) {
        cmark_syntax_extension *e = cmark_find_syntax_extension(names[i]);
        if (e) {
            cmark_parser_attach_syntax_extension(p, e);
        }
    }
    cmark_parser_feed(p, source, len);
    cmark_node *root = cmark_parser_finish(p);
    cmark_parser_free(p);
    return root;
}

static void on_node(struct maker *m, cmark_node *node, bool is_enter) {
    if ((cmark_node_get_type(node) & CMARK_NODE_TYPE_MASK) == CMARK_NODE_TYPE_INLINE) {
        on_inline(m, node, is_enter);
    } else if (!is_enter || m->table || may_add(m, 1)) {
        on_block(m, node, is_enter);
    }
}

static void markdown_walk(struct maker *m, const char *source, size_t len) {
    cmark_node *root = markdown_parse(source, len);
    cmark_iter *it = cmark_iter_new(root);
    cmark_event_type event;
    while (!m->budget->is_cut && (event = cmark_iter_next(it)) != CMARK_EVENT_DONE) {
        on_node(m, cmark_iter_get_node(it), event == CMARK_EVENT_ENTER);
    }
    cmark_iter_free(it);
    cmark_node_free(root);
}

/* Nothing in it means anything in markdown: most labels of a page, which then cost no parsing. */
static bool is_plain(struct oc_slice s) {
    if (s.len && (oc_is_one_of(s.ptr[0], "#>-+=|\t ") || (s.ptr[0] >= '0' && s.ptr[0] <= '9'))) {
        return false;
    }
    for (size_t i = 0; i < s.len; i++) {
        if (!s.ptr[i] || oc_is_one_of(s.ptr[i], "\n\r*_`[<&\\~")) {
            return false;
        }
    }
    return true;
}

/* How deep in lists and quotes a line can stand: by its markers and by its indent. Advances to its
 * end. */
static size_t depth_of(const char **at, const char *end) {
    const char *p = *at;
    size_t depth = 0;
    for (; p < end && oc_is_one_of(*p, " \t>-+*.)0123456789"); p++) {
        bool is_last = p + 1 == end || oc_is_one_of(p[1], " \t\r\n");
        if (*p == ' ' || *p == '\t') {
            depth++;
        } else if (*p == '>' || (is_last && (*p < '0' || *p > '9'))) {
            depth += 2;
        }
    }
    *at = p;
    return depth / 2 + 1;
}

/* cmark takes quadratic time for long runs of signs, and walks all open lists and quotes for every
 * line; Pango walks all spans for every line. */
static bool is_hostile(struct oc_slice s, struct cv_rich_budget *budget) {
    size_t signs = 0, lines = 1, pipes = 0, most_pipes = 0, depth = 0, most_depth = 0;
    const char *end = s.ptr + s.len;
    for (const char *p = s.ptr; p < end; p++) {
        if (p == s.ptr || p[-1] == '\n' || p[-1] == '\r') {
            const char *first = p;
            depth = depth_of(&first, end);
            most_depth = depth > most_depth ? depth : most_depth;
            pipes = 0;
        }
        lines += *p == '\n' || *p == '\r';
        signs += oc_is_one_of(*p, "[]*_`<>|~\\!#-+&");
        pipes += *p == '|';
        most_pipes = pipes > most_pipes ? pipes : most_pipes;
    }
    size_t work = signs * signs / 64 + signs * lines / 8 + most_depth * lines;
    bool is_too_much = signs > MAX_SIGNS || lines > MAX_LINES || most_pipes > MAX_PIPES ||
                       most_pipes * lines > MAX_CELLS || work > MAX_WORK || work > budget->work ||
                       !budget->blocks;
    budget->work -= is_too_much ? 0 : work;
    return is_too_much;
}

static struct oc_slice markdown_trimmed(struct oc_slice s) {
    while (s.len && oc_is_one_of(s.ptr[s.len - 1], " \t\r\n")) {
        s.len--;
    }
    return s;
}

static const struct cv_font *hint_font(const struct maker *m, enum cv_text_hint hint) {
    return &m->theme->text[hint];
}

/* The first line as a heading: "# " in front of it, and a last "#" that would be taken for the
 * heading's end escaped. */
static void walk_heading(struct maker *m, struct oc_slice s, enum cv_text_hint hint) {
    while (s.len && (*s.ptr == ' ' || *s.ptr == '\n' || *s.ptr == '\t' || *s.ptr == '\r')) {
        s.ptr++;
        s.len--;
    }
    const char *end = memchr(s.ptr, '\n', s.len);
    size_t first = end ? (size_t)(end - s.ptr) : s.len;
    while (first && (s.ptr[first - 1] == ' ' || s.ptr[first - 1] == '\r')) {
        first--;
    }
    OC_AUTO_BUF struct oc_buf source = OC_BUF_INIT(s.len + 64);
    (void)oc_buf_append(&source, "######", (size_t)(hint - CV_HINT_H1) + 1);
    (void)oc_buf_putc(&source, ' ');
    bool has_end = first && s.ptr[first - 1] == '#';
    (void)oc_buf_append(&source, s.ptr, has_end ? first - 1 : first);
    if (has_end) {
        (void)oc_buf_puts(&source, "\\#");
    }
    (void)oc_buf_append(&source, s.ptr + first, s.len - first);
    markdown_walk(m, source.data, source.len);
}

/* In parts of so many lines: the text engine takes quadratic time for them. */
static void add_as_it_is(struct maker *m, struct oc_slice s, const struct cv_font *font) {
    size_t from = 0, lines = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\n' || ++lines < PART_LINES || (m->budget->blocks && !may_add(m, 1))) {
            continue;
        }
        (void)oc_buf_append(&m->text, s.ptr + from, i - from);
        add_text(m, font);
        m->margin = 0;
        from = i + 1;
        lines = 0;
    }
    (void)oc_buf_append(&m->text, s.ptr ? s.ptr + from : "", s.len - from);
    add_text(m, font);
}

struct cv_rich *cv_markdown_parse(struct cv_arena *arena, struct cv_texts *texts,
        struct oc_slice source, const struct cv_theme *theme, enum cv_text_hint hint,
        struct cv_rich_budget *budget) {
    struct maker m = { .arena = arena,
        .texts = texts,
        .theme = theme,
        .budget = budget,
        .text = OC_BUF_INIT(4 * CV_MAX_STRING),
        .plain = OC_BUF_INIT(4 * CV_MAX_STRING) };
    m.rich = cv_arena_alloc(arena, sizeof(*m.rich));
    m.rich->width = -1;
    m.rich->rule = theme->divider;
    m.rich->bar = theme->quote_bar;
    m.rich->code_back = theme->code_back;
    bool is_heading = hint >= CV_HINT_H1 && hint <= CV_HINT_H5;
    m.body = hint_font(&m, is_heading ? CV_HINT_BODY : hint);
    source = markdown_trimmed(source);
    if (is_plain(source) || is_hostile(source, budget)) {
        add_as_it_is(&m, source, hint_font(&m, hint));
    } else if (is_heading) {
        walk_heading(&m, source, hint);
    } else {
        markdown_walk(&m, source.ptr, source.len);
    }
    if (!m.rich->first) { /* a text keeps its line when there is nothing in it */
        add_text(&m, hint_font(&m, hint));
    }
    m.rich->below = m.margin;
    m.rich->plain = cv_arena_strndup(arena, m.plain.data ? m.plain.data : "", m.plain.len);
    oc_buf_finish(&m.text);
    oc_buf_finish(&m.plain);
    oc_free(m.spans);
    return m.rich;
}
