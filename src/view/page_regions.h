/* Regions as columns of a JSON object, for sections that number them themselves. */
#ifndef KYMO_PAGE_REGIONS_H
#define KYMO_PAGE_REGIONS_H

#include "model/recording/recording.h"
#include "text/json_writer.h"

/* The members "name" to "texts" of the open object. */
void page_regions_write(struct json_writer *json, const struct region *const *regions,
			size_t count);

#endif
