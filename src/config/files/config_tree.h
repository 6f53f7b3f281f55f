/* Maps a value in a nested file to its setting: shared by the readers of JSON and XML, which own
 * it.  Uses malloc.  Context: init. */
#ifndef KYMO_CONFIG_TREE_H
#define KYMO_CONFIG_TREE_H

#include "base/text/textbuf.h"
#include "config/files/config_sink.h"

#define CONFIG_TREE_DEPTH 16

/* The position of a reader of JSON or XML, and the values collected for the innermost key. The
 * names of settings may be nested in any of the wrappers that such files have ("kymo",
 * "rocprofsys", "settings", ...); a setting is either a value or an object whose member "value" is
 * one.  Other members are descriptions and are skipped. */
struct config_tree {
	const struct config_sink *sink;
	struct problem *problem;
	bool has_sections; /* pass on full names, "tracing.enabled", and unwrap nothing */
	struct textbuf keys[CONFIG_TREE_DEPTH];
	unsigned int depth; /* keys that are open */
	struct textbuf value;
	unsigned int value_count; /* collected for keys[depth - 1] */
};

/* Open a key: its name was written to keys[depth].  The reader has checked the depth. */
void config_tree_open(struct config_tree *tree);
/* One value of the innermost key; several make a list. */
void config_tree_value(struct config_tree *tree, const struct textbuf *text);
/* Close the innermost key and assign what was collected, if it names a setting. */
enum kymo_status config_tree_close(struct config_tree *tree, unsigned int line);
void config_tree_release(struct config_tree *tree);

#endif
