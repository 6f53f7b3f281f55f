/* Rows of time outside regions have a time and no error: they are what is left. */
#include "report/tables/table_path_time.h"

static const struct path_errors *path_time_errors(const struct table_item *item)
{
	const struct path_times *times = item->view;
	uint32_t region = *(const uint32_t *)item->row;

	return times->errors.is_known &&
			       times->texts.regions->regions[region]->kind != KYMO_REGION_ROOT
		       ? &times->errors
		       : NULL;
}

static double path_time_ns(const struct table_item *item)
{
	return *(const double *)table_member(item);
}

struct table_cell path_time(const struct table_item *item)
{
	const struct path_errors *errors = path_time_errors(item);
	double ns = path_time_ns(item);

	return (struct table_cell){.number = ns * 1e-9,
				   .error = errors ? path_errors_off(errors, ns) * 1e-9 : 0};
}

/* In two digits. */
struct table_cell path_time_off(const struct table_item *item)
{
	const struct path_errors *errors = path_time_errors(item);
	double ns = errors ? path_errors_off(errors, path_time_ns(item)) : 0;

	return (struct table_cell){.is_missing = ns <= 0, .number = ns * 1e-9, .error = ns * 1e-10};
}

struct table_cell path_time_low(const struct table_item *item)
{
	const struct path_errors *errors = path_time_errors(item);

	if (!errors)
		return (struct table_cell){.is_missing = true};
	return (struct table_cell){.number = path_errors_low(errors, path_time_ns(item)) * 1e-9};
}

struct table_cell path_time_high(const struct table_item *item)
{
	const struct path_errors *errors = path_time_errors(item);

	if (!errors)
		return (struct table_cell){.is_missing = true};
	return (struct table_cell){.number = path_errors_high(errors, path_time_ns(item)) * 1e-9};
}
