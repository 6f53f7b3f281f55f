/* Texts, each stored once, that never move.  One thread; uses malloc. */
#ifndef KYMO_MERGE_TEXTS_H
#define KYMO_MERGE_TEXTS_H

#include "base/hashset.h"

struct merge_texts {
	struct hashset by_content;
	struct merge_block *blocks;
	uint64_t bytes; /* approximate memory use */
};

/* The copy; NULL for NULL, and when out of memory. */
const char *merge_text(struct merge_texts *texts, const char *text);
void merge_texts_release(struct merge_texts *texts);

#endif
