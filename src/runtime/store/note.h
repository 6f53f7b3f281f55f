/* Notes: facts about a run in words, such as settings, losses and warnings. */
#ifndef KYMO_NOTE_H
#define KYMO_NOTE_H

#include <stdint.h>

#include "format/format.h"
#include "runtime/runtime.h"

KYMO_EXPORT void kymo_note_add(enum kymo_note_kind kind, const char *key, const char *value);
/* Append a note; long texts are cut.  The store's lock is held. */
void note_write(enum kymo_note_kind kind, const char *key, const char *value);

/* In a forked child: copy the notes on the program and its settings from the parent's recording,
 * mapped at base, up to end.  The store's lock is held. */
void notes_inherit(const char *base, uint64_t end);

#endif
