/* The Lexbor functions that element_reader.c calls, as Lexbor's own headers declare them.
 *
 * From Lexbor 3.1.0, the version inside selectolax 1.0.2: Copyright (C) 2018-2026 Alexander Borisov, licensed under
 * the Apache License, Version 2.0 (https://www.apache.org/licenses/LICENSE-2.0). What selectolax installs has no
 * headers; a test compiles this file after those of its source distribution, where a different declaration is an error.
 */
#ifndef LEXBOR_FUNCTIONS_H
#define LEXBOR_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

typedef unsigned char lxb_char_t;
typedef unsigned int lxb_status_t;
typedef uintptr_t lxb_tag_id_t;
typedef uint32_t lxb_dom_document_opt_t;

typedef struct lxb_dom_attr lxb_dom_attr_t;
typedef struct lxb_dom_document lxb_dom_document_t;
typedef struct lxb_dom_element lxb_dom_element_t;
typedef struct lxb_dom_node lxb_dom_node_t;
typedef struct lxb_html_body_element lxb_html_body_element_t;
typedef struct lxb_html_document lxb_html_document_t;

lxb_html_document_t *lxb_html_document_create(void);
lxb_html_document_t *lxb_html_document_destroy(lxb_html_document_t *document);
lxb_status_t lxb_html_document_parse(lxb_html_document_t *document, const lxb_char_t *html, size_t size);
void lxb_html_document_dom_opt_set_noi(lxb_html_document_t *document, lxb_dom_document_opt_t opt);
lxb_html_body_element_t *lxb_html_document_body_element_noi(lxb_html_document_t *document);

lxb_dom_element_t *lxb_dom_document_element_noi(lxb_dom_document_t *document);
void *lxb_dom_document_destroy_text_noi(lxb_dom_document_t *document, lxb_char_t *text);

lxb_dom_node_t *lxb_dom_node_next_noi(lxb_dom_node_t *node);
lxb_dom_node_t *lxb_dom_node_prev_noi(lxb_dom_node_t *node);
lxb_dom_node_t *lxb_dom_node_first_child_noi(lxb_dom_node_t *node);
lxb_dom_node_t *lxb_dom_node_parent_noi(lxb_dom_node_t *node);
lxb_tag_id_t lxb_dom_node_tag_id_noi(lxb_dom_node_t *node);
unsigned int lxb_dom_node_type_noi(lxb_dom_node_t *node); /* an enumeration */
lxb_char_t *lxb_dom_node_text_content(lxb_dom_node_t *node, size_t *len);

const lxb_char_t *lxb_dom_element_qualified_name(const lxb_dom_element_t *element, size_t *len);
lxb_dom_attr_t *lxb_dom_element_first_attribute_noi(lxb_dom_element_t *element);
lxb_dom_attr_t *lxb_dom_element_next_attribute_noi(lxb_dom_attr_t *attr);

const lxb_char_t *lxb_dom_attr_qualified_name(const lxb_dom_attr_t *attr, size_t *len);
const lxb_char_t *lxb_dom_attr_value_noi(lxb_dom_attr_t *attr, size_t *len);

#endif
