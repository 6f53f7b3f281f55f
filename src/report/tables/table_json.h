/* Tables as JSON: an array of objects, keys as in CSV. */
#ifndef KYMO_TABLE_JSON_H
#define KYMO_TABLE_JSON_H

#include "report/tables/table.h"
#include "text/json_writer.h"

/* Missing cells are null. */
void table_write_json(const struct table *table, struct json_writer *json);

#endif
