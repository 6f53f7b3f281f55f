/* The runtime's notes, kept in order, "KEY: TEXT\n" each.  Include it once, in a test that is
 * linked without the runtime. */
#ifndef KYMO_NOTES_FIXTURE_H
#define KYMO_NOTES_FIXTURE_H

#include <stdio.h>
#include <string.h>

#include "runtime/store/note.h"

static char notes_kept[8192];

void kymo_note_add(enum kymo_note_kind kind, const char *key, const char *value)
{
	size_t used = strlen(notes_kept);

	(void)kind;
	snprintf(notes_kept + used, sizeof(notes_kept) - used, "%s: %s\n", key, value);
}

static void notes_forget(void)
{
	notes_kept[0] = '\0';
}

#endif
