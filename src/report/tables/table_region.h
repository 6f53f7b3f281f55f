/* Regions in tables: their cells, and getters for columns that many views have.
 *
 * TABLE_REGION(table_get_name, struct entry, region) ends the line of such a column: the member is
 * the region's number.  The view of the items begins with a struct region_texts. */
#ifndef KYMO_TABLE_REGION_H
#define KYMO_TABLE_REGION_H

#include "model/profile/region_union.h"
#include "report/tables/table_get.h"

/* "Class.method  file.py:12" for people.  size >= REPORT_NAME_MAX. */
#define REPORT_NAME_MAX 512
void report_region(const struct region *region, char *text, size_t size);

/* The cells of a region, with a buffer for their text: its name, for people followed by its
 * location, and the location alone, which is missing if it is not known. */
struct table_cell report_name_cell(const struct region *region, bool is_for_people,
				   char text[REPORT_NAME_MAX]);
struct table_cell report_location_cell(const struct region *region, char text[REPORT_NAME_MAX]);

#define TABLE_NO_REGION UINT32_MAX /* missing */

struct region_texts {
	const struct region_union *regions;
	char text[2 * REPORT_NAME_MAX]; /* of the last cell */
};

/* For programs only the name, for people followed by the location. */
struct table_cell table_get_name(const struct table_item *item);
struct table_cell table_get_region(const struct table_item *item);
/* "file.py:12"; missing if not known. */
struct table_cell table_get_location(const struct table_item *item);
/* A getter's cell if the item has a region; else none. */
static inline struct table_cell table_get_if(bool has_region, table_get_fn *get,
					     const struct table_item *item)
{
	return has_region ? get(item) : table_text(NULL);
}
struct table_cell table_get_module(const struct table_item *item);
struct table_cell table_get_file(const struct table_item *item);
struct table_cell table_get_region_line(const struct table_item *item);

/* The region of the item; NULL = none. */
const struct region *table_region_of(const struct table_item *item);

#define TABLE_REGION(getter, type, member)                                                         \
	.get = (getter),                                                                           \
	.at = offsetof(type, member) + 0 * sizeof(_Generic(((type *)0)->member, uint32_t : 0))

#endif
