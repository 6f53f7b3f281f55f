/* Section "regions": columns with an entry for each region of the union.
 *
 * name: as in reports; the others are positions in texts, 0 = unknown.  "place" is for display:
 * "file.py:12". */
#include "view/page_regions.h"

#include <string.h>

#include "base/hashset.h"
#include "command/xalloc.h"
#include "view/page.h"
#include "view/page_out.h"

struct texts { /* each text once; values of the index are positions */
	const char **items;
	size_t count, capacity;
	struct hashset index;
};

struct text_key {
	const struct texts *texts;
	const char *text;
};

static bool regions_is_text(uint64_t value, const void *key)
{
	const struct text_key *searched = key;

	return strcmp(searched->texts->items[value], searched->text) == 0;
}

/* Position of a text that lives as long as the run. */
static size_t texts_put(struct texts *texts, const char *text)
{
	struct text_key key = {texts, text};
	uint64_t hash, found;

	if (!text)
		return 0;
	hash = hash_bytes(HASH_SEED, text, strlen(text));
	found = hashset_find(&texts->index, hash, regions_is_text, &key);
	if (found)
		return found;
	texts->items =
		xgrow(texts->items, &texts->capacity, texts->count + 2, sizeof(*texts->items));
	if (texts->count == 0)
		texts->items[texts->count++] = ""; /* 0 = unknown */
	texts->items[texts->count] = text;
	xhashset_insert(&texts->index, hash, texts->count);
	return texts->count++;
}

enum column { COLUMN_NAME, COLUMN_PLACE, COLUMN_FILE, COLUMN_MODULE, COLUMN_LINE, COLUMN_KIND };
static const char *const column_names[] = {"name", "place", "file", "module", "line", "kind"};

static void regions_write_cell(struct json_writer *json, const struct region *region,
			       enum column column, struct texts *texts)
{
	char text[2048];

	switch (column) {
	case COLUMN_NAME:
		region_name(region, text, sizeof(text));
		json_text(json, text);
		break;
	case COLUMN_PLACE:
		region_location(region, text, sizeof(text));
		json_text(json, text);
		break;
	case COLUMN_FILE:
		json_count(json, texts_put(texts, region->file));
		break;
	case COLUMN_MODULE:
		json_count(json, texts_put(texts, region->module));
		break;
	case COLUMN_LINE:
		json_count(json, region->line);
		break;
	case COLUMN_KIND:
		json_count(json, region->kind);
		break;
	}
}

static void write_columns(struct json_writer *json, const struct region *const *regions,
			  size_t count, struct texts *texts)
{
	for (unsigned int column = 0; column < sizeof(column_names) / sizeof(*column_names);
	     column++) {
		json_line(json);
		json_key(json, column_names[column]);
		json_begin_array(json);
		for (size_t i = 0; i < count; i++)
			regions_write_cell(json, regions[i], (enum column)column, texts);
		json_end_array(json);
	}
	json_line(json);
	json_key(json, "texts");
	json_begin_array(json);
	for (size_t i = 0; i < texts->count; i++)
		json_text(json, texts->items[i]);
	json_end_array(json);
}

void page_regions_write(struct json_writer *json, const struct region *const *regions, size_t count)
{
	struct texts texts = {0};

	write_columns(json, regions, count, &texts);
	hashset_release(&texts.index);
}

static void regions_write(const struct page *page, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "regions");

	json_begin_object(json);
	page_regions_write(json, page->regions->regions, page->regions->count);
	json_end_object(json);
	page_json_end(out);
}

const struct page_section page_regions_section = {.write = regions_write};
