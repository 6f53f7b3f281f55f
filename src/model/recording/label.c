/* Labels of regions in tables, traces and graphs: func, func(n=5), [func][file.py],
 * [func(n=5)][file.py:12], func:12. The grammar is that of timemory's Python bindings. */
#include "model/recording/label.h"

#include <stdio.h>
#include <string.h>

#include "base/basename.h"
#include "model/tree/calltree.h"

struct label {
	char *text;
	size_t size;
	size_t length; /* of the whole label, whether or not it fits */
};

static void label_add(struct label *label, const char *part)
{
	size_t length = strlen(part);

	if (label->length + 1 < label->size) {
		size_t available = label->size - label->length - 1;
		size_t fitting = length < available ? length : available;

		memcpy(label->text + label->length, part, fitting);
		label->text[label->length + fitting] = '\0';
	}
	label->length += length;
}

static void label_add_line(struct label *label, const struct region *region)
{
	char line[16];

	snprintf(line, sizeof(line), ":%u", region->line);
	label_add(label, line);
}

static void label_add_file(struct label *label, const struct region *region)
{
	bool is_full = (region->flags & KYMO_REGION_LABEL_FULL_PATH) != 0;

	label_add(label, "][");
	label_add(label, is_full ? region->file : path_base_name(region->file));
	if (region->flags & KYMO_REGION_LABEL_LINE && region->line)
		label_add_line(label, region);
	label_add(label, "]");
}

size_t region_label(const struct region *region, char *text, size_t size)
{
	struct label label = {text, size, 0};
	bool has_file = (region->flags & KYMO_REGION_LABEL_FILE) && region->file;

	if (size)
		text[0] = '\0';
	if (has_file)
		label_add(&label, "[");
	label_add(&label, region->name);
	if (region->arguments)
		label_add(&label, region->arguments);
	if (has_file)
		label_add_file(&label, region);
	else if ((region->flags & KYMO_REGION_LABEL_LINE) && region->line)
		label_add_line(&label, region);
	return label.length;
}
