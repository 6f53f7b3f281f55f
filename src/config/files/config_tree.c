/* From the nested keys of a JSON or XML file to assignments.
 * Such files either are flat, or have the shape that timemory's tools write:
 * {"tool": {"settings": {"TOOL_NAME": {"value": ..., "description": ..., ...}}}}. */
#include "config/files/config_tree.h"

#include <string.h>
#include <strings.h>

static const char *const wrappers[] = {
	"timemory_xml",	       "kymo",	    "rocprofsys", "rocprof-sys",
	"rocprofiler-systems", "omnitrace", "settings",	  NULL};

static const char *const describing_members[] = {"name",
						 "environ",
						 "description",
						 "count",
						 "max_count",
						 "cmdline",
						 "initial",
						 "categories",
						 "data_type",
						 "choices",
						 "cereal_class_version",
						 NULL};

static bool tree_is_listed(const char *const *names, const char *name)
{
	for (; *names != NULL; names++)
		if (strcasecmp(*names, name) == 0)
			return true;
	return false;
}

void config_tree_open(struct config_tree *tree)
{
	textbuf_text(&tree->keys[tree->depth], "");
	tree->depth++;
	tree->value_count = 0;
	textbuf_clear(&tree->value);
}

void config_tree_value(struct config_tree *tree, const struct textbuf *text)
{
	if (tree->value_count++ > 0)
		textbuf_char(&tree->value, ' ');
	textbuf_bytes(&tree->value, text->data, text->length);
	if (text->has_failed)
		tree->value.has_failed = true;
}

/* The names of all levels, joined by dots. */
static enum kymo_status assign_section(const struct config_tree *tree, unsigned int line)
{
	struct textbuf name = {0};
	enum kymo_status status;

	for (unsigned int level = 0; level < tree->depth; level++)
		textbuf_format(&name, "%s%s", level ? "." : "", tree->keys[level].data);
	status = name.has_failed ? problem_set(tree->problem, KYMO_MEMORY, "out of memory")
				 : tree->sink->assign(tree->sink->object, name.data,
						      tree->value.data, line, tree->problem);
	textbuf_release(&name);
	return status;
}

static enum kymo_status config_tree_assign(const struct config_tree *tree, unsigned int line)
{
	const struct config_sink *sink = tree->sink;
	unsigned int level = 0, rest;
	struct textbuf reason = {0};
	enum kymo_status status;

	while (level + 1 < tree->depth && tree_is_listed(wrappers, tree->keys[level].data))
		level++;
	rest = tree->depth - level - 1;
	if (rest == 0 && strcasecmp(tree->keys[level].data, "cereal_class_version") == 0)
		return KYMO_OK;
	if (rest == 0 || (rest == 1 && strcasecmp(tree->keys[level + 1].data, "value") == 0))
		return sink->assign(sink->object, tree->keys[level].data, tree->value.data, line,
				    tree->problem);
	if (tree_is_listed(describing_members, tree->keys[level + 1].data))
		return KYMO_OK;
	textbuf_format(&reason, "'%s' is not part of a setting (in '%s')",
		       tree->keys[level + 1].data, tree->keys[level].data);
	status = reason.has_failed
			 ? problem_set(tree->problem, KYMO_MEMORY, "out of memory")
			 : sink->malformed(sink->object, reason.data, line, tree->problem);
	textbuf_release(&reason);
	return status;
}

enum kymo_status config_tree_close(struct config_tree *tree, unsigned int line)
{
	enum kymo_status status = KYMO_OK;
	unsigned int level;

	for (level = 0; level < tree->depth; level++)
		if (tree->keys[level].has_failed)
			tree->value.has_failed = true;
	if (tree->value.has_failed)
		return problem_set(tree->problem, KYMO_MEMORY, "out of memory");
	if (tree->value_count > 0)
		status = tree->has_sections ? assign_section(tree, line)
					    : config_tree_assign(tree, line);
	tree->depth--;
	tree->value_count = 0;
	textbuf_clear(&tree->keys[tree->depth]);
	return status;
}

void config_tree_release(struct config_tree *tree)
{
	for (unsigned int level = 0; level < CONFIG_TREE_DEPTH; level++)
		textbuf_release(&tree->keys[level]);
	textbuf_release(&tree->value);
}
