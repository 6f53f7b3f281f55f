/* Lists of regular expressions, as settings have them.  The caller's memory, zeros at first; its
 * items are on the heap.  One thread.  Context: init. */
#ifndef KYMO_EXPRESSIONS_H
#define KYMO_EXPRESSIONS_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "config/settings.h"

struct expressions {
	regex_t *items;
	size_t count, capacity;
};

/* Add those of a setting, one per item of its list.  KYMO_USAGE: one is invalid; KYMO_MEMORY. After
 * a failure, too, the caller releases them. */
enum kymo_status expressions_read(const struct settings *settings, enum setting_id id,
				  struct expressions *out, struct problem *problem);
void expressions_release(struct expressions *expressions);
/* Whether one of them matches part of the text. */
bool expressions_match(const struct expressions *expressions, const char *text);

#endif
