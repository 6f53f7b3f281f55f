/* Notes from inside the runtime. */
#ifndef KYMO_NOTES_H
#define KYMO_NOTES_H

#include "format/format.h"

/* Append a note; long texts are cut.  The store's lock is held. */
void note_write(enum kymo_note_kind kind, const char *key, const char *value);

/* In a forked child: what the parent's recording, mapped at base, said up to end of the
 * program and its settings.  The store's lock is held. */
void notes_inherit(const char *base, uint64_t end);

#endif
