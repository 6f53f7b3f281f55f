/* Texts read by importers, and what they made of them in one line a call path.
 * Include cmocka.h before. */
#ifndef KYMO_IMPORTED_FIXTURE_H
#define KYMO_IMPORTED_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "import/import.h"

#define IMPORTED_TEXT_MAX 4096u

struct imported_fixture {
	struct imported imported;
	struct problem problem;
	enum kymo_status status;
	char text[IMPORTED_TEXT_MAX];
};

static inline struct span span_of(const char *text)
{
	return (struct span){text, strlen(text)};
}

static inline uint32_t imported_user(struct imported *imported, const char *name)
{
	const struct imported_function function = {.kind = KYMO_REGION_USER, .name = span_of(name)};

	return imported_region(imported, &function);
}

static inline void imported_fixture_bytes(struct imported_fixture *fixture, const char *format,
					  const void *data, size_t size)
{
	struct import_source source = import_source_bytes("x", data, size);
	const struct importer *importer = importer_find(format);

	assert_non_null(importer);
	*fixture = (struct imported_fixture){0};
	imported_init(&fixture->imported);
	fixture->status = import_read(importer, &source, &fixture->imported, &fixture->problem);
}

/* To be released, whatever the status. */
static inline void imported_fixture_read(struct imported_fixture *fixture, const char *format,
					 const char *text)
{
	imported_fixture_bytes(fixture, format, text, strlen(text));
}

static inline void imported_fixture_release(struct imported_fixture *fixture)
{
	imported_release(&fixture->imported);
}

static inline void imported_draw_path(const struct imported_fixture *fixture, uint32_t node,
				      char *text)
{
	const struct imported_node *row = &fixture->imported.nodes[node];
	const struct imported_function *region = &fixture->imported.regions[row->region];

	if (row->parent && fixture->imported.nodes[row->parent].region) {
		imported_draw_path(fixture, row->parent, text);
		strcat(text, ";");
	}
	snprintf(text + strlen(text), 256, "%.*s", (int)region->name.size, region->name.at);
}

/* "a;b 2 30\n": the path's own calls, and its own time; in the order of the file, those without
 * either left out.  Of paths of the thread, 0 = all threads. */
static inline const char *imported_fixture_paths(struct imported_fixture *fixture, uint32_t thread)
{
	const struct imported *imported = &fixture->imported;
	size_t used = 0;

	fixture->text[0] = '\0';
	for (uint32_t i = 1; i < imported->node_count; i++) {
		const struct imported_node *node = &imported->nodes[i];

		if (!node->region || (thread && node->thread != thread) ||
		    (node->count == 0 && node->self_ns == 0))
			continue;
		assert_true(used + 1024 < sizeof(fixture->text));
		imported_draw_path(fixture, i, fixture->text);
		used = strlen(fixture->text);
		used += (size_t)snprintf(fixture->text + used, sizeof(fixture->text) - used,
					 " %" PRIu64 " %.10g\n", node->count, node->self_ns);
	}
	return fixture->text;
}

#define ASSERT_IMPORTED(fixture, expected)                                                         \
	do {                                                                                       \
		if ((fixture)->status != KYMO_OK)                                                  \
			fail_msg("%s", (fixture)->problem.text);                                   \
		assert_string_equal(imported_fixture_paths(fixture, 0), expected);                 \
	} while (0)

/* The text is refused, with a problem that has these words. */
static inline void assert_refused(const char *format, const char *text, const char *words)
{
	struct imported_fixture fixture;

	imported_fixture_read(&fixture, format, text);
	assert_int_equal(fixture.status, KYMO_FORMAT);
	if (!strstr(fixture.problem.text, words))
		fail_msg("'%s' has no '%s'", fixture.problem.text, words);
	imported_fixture_release(&fixture);
}

/* The value of a note; NULL = there is none of that key. */
static inline const char *imported_note_value(const struct imported *imported, const char *key)
{
	for (size_t i = 0; i < imported->note_count; i++) {
		if (strcmp(imported->notes[i].key, key) == 0)
			return imported->notes[i].value;
	}
	return NULL;
}

#endif
