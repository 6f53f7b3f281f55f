/* Streaming JSON output: one call per token; commas and escapes are automatic.
 *
 * Nesting has no limit, as in call trees; the caller must balance begin and end.  The stream is the
 * caller's; its errors show in ferror().  One thread. */
#ifndef KYMO_JSON_WRITER_H
#define KYMO_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_writer {
	FILE *out;
	bool needs_comma;
	bool is_shown; /* texts are for people: they are cleaned (base/text/plaintext.h) */
};

void json_begin_object(struct json_writer *writer);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer);
void json_end_array(struct json_writer *writer);
void json_key(struct json_writer *writer, const char *key);

void json_text(struct json_writer *writer, const char *text); /* NULL = null */
/* With secrets masked (base/secret.h). */
void json_text_masked(struct json_writer *writer, const char *text);
void json_count(struct json_writer *writer, uint64_t number);
void json_number(struct json_writer *writer, double number); /* not finite = null */
void json_bool(struct json_writer *writer, bool value);

/* A key with its value. */
void json_pair_text(struct json_writer *writer, const char *key, const char *text);
void json_pair_count(struct json_writer *writer, const char *key, uint64_t number);
void json_pair_number(struct json_writer *writer, const char *key, double number);
void json_pair_bool(struct json_writer *writer, const char *key, bool value);

/* The next value or key begins a line. */
void json_line(struct json_writer *writer);

#endif
