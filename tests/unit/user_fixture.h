/* What the tests of the annotations' runtime side share: the table of functions as a program
 * gets it, sites, and a process's trees as text. */
#ifndef KYMO_USER_FIXTURE_H
#define KYMO_USER_FIXTURE_H

#include "model/tree/calltree.h"
#include "model/recording/label.h"
#include "model/recording/recording_open.h"
#include "runtime/user/userbind.h"
#include "runtime_fixture.h"

/* "a*2(b*1)c*1": the paths below a thread's root with their counts, open ones marked "!". */
static void show_below(const struct calltree *tree, uint32_t parent, char *text, size_t size)
{
	for (uint32_t i = tree->nodes[parent].first_child; i != CALLTREE_NONE;
	     i = tree->nodes[i].next_sibling) {
		const struct calltree_node *node = &tree->nodes[i];
		char label[64];
		size_t length = strlen(text);

		region_label(&tree->recording->regions[node->region], label, sizeof(label));
		CHECK(size - length > sizeof(label) + 16);
		sprintf(text + length, "%s%s*%lu%s", length && text[length - 1] != '(' ? " " : "",
			label, (unsigned long)node->count, node->is_open ? "!" : "");
		if (node->first_child == CALLTREE_NONE)
			continue;
		strcat(text, "(");
		show_below(tree, i, text, size);
		strcat(text, ")");
	}
}

/* The tree of one thread of the recording that was just closed; fails when it is another. */
__attribute__((unused)) static void expect_tree(uint32_t thread, const char *expected)
{
	struct recording *recording = fixture_read(kymo_runtime_recording());
	struct problem problem = {""};
	struct calltree *tree;
	char text[4096] = "";

	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	CHECK(thread < recording->thread_count);
	show_below(tree, tree->thread_root[thread], text, sizeof(text));
	if (strcmp(text, expected) != 0) {
		dprintf(fixture_stderr, "is:     %s\nwanted: %s\n", text, expected);
		_exit(1);
	}
	calltree_free(tree);
	recording_free(recording);
}

/* The number of warnings whose text begins so. */
__attribute__((unused)) static unsigned warnings(const char *beginning)
{
	struct recording *recording = fixture_read(kymo_runtime_recording());
	unsigned count = 0;

	for (size_t i = 0; i < recording->note_count; i++)
		count += recording->notes[i].kind == KYMO_NOTE_WARNING &&
			 !strncmp(recording->notes[i].value, beginning, strlen(beginning));
	recording_free(recording);
	return count;
}

/* The table, opened with settings on top of the fixture's own. */
__attribute__((unused)) static const struct kymo_api *open_api(const char *const *settings)
{
	const struct kymo_api *api;

	CHECK(kymo_api_get(KYMO_API_VERSION) == NULL);
	fixture_open(settings);
	api = kymo_api_get(KYMO_API_VERSION);
	CHECK(api && api->size == sizeof(*api) && kymo_api_get(KYMO_API_VERSION + 1) == NULL);
	return api;
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

#endif
