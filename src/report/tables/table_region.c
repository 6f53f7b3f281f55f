/* Regions in tables: their cells, and getters for columns that many views have. */
#include "report/tables/table_region.h"

#include <string.h>

void report_region(const struct region *region, char *text, size_t size)
{
	char place[REPORT_NAME_MAX / 2];
	size_t length;

	region_name(region, text, size / 2);
	if (region_location(region, place, sizeof(place)) == 0)
		return;
	length = strlen(text);
	snprintf(text + length, size - length, "  %s", place);
}

struct table_cell report_name_cell(const struct region *region, bool is_for_people,
				   char text[REPORT_NAME_MAX])
{
	if (is_for_people)
		report_region(region, text, REPORT_NAME_MAX);
	else
		region_name(region, text, REPORT_NAME_MAX);
	return (struct table_cell){.text = text};
}

struct table_cell report_location_cell(const struct region *region, char text[REPORT_NAME_MAX])
{
	bool is_known = region_location(region, text, REPORT_NAME_MAX) > 0;

	return (struct table_cell){.is_missing = !is_known, .text = text};
}

const struct region *table_region_of(const struct table_item *item)
{
	const struct region_texts *texts = item->view;
	uint32_t number = *(const uint32_t *)table_member(item);

	return number == TABLE_NO_REGION ? NULL : texts->regions->regions[number];
}

struct table_cell table_get_name(const struct table_item *item)
{
	const struct region *region = table_region_of(item);
	struct region_texts *texts = item->view;

	return region ? report_name_cell(region, false, texts->text) : table_text(NULL);
}

struct table_cell table_get_region(const struct table_item *item)
{
	const struct region *region = table_region_of(item);
	struct region_texts *texts = item->view;

	return region ? report_name_cell(region, true, texts->text) : table_text(NULL);
}

struct table_cell table_get_location(const struct table_item *item)
{
	const struct region *region = table_region_of(item);
	struct region_texts *texts = item->view;

	return region ? report_location_cell(region, texts->text) : table_text(NULL);
}

struct table_cell table_get_module(const struct table_item *item)
{
	const struct region *region = table_region_of(item);

	return table_text(region ? region->module : NULL);
}

struct table_cell table_get_file(const struct table_item *item)
{
	const struct region *region = table_region_of(item);

	return table_text(region ? region->file : NULL);
}

struct table_cell table_get_region_line(const struct table_item *item)
{
	const struct region *region = table_region_of(item);

	return table_line(region ? region->line : 0);
}
