/* Options as they were given, before they are applied. */
#ifndef KYMO_VOCABULARY_GIVEN_H
#define KYMO_VOCABULARY_GIVEN_H

#include "cli/options/vocabulary.h"

struct given {
	const struct vocabulary_row *row; /* NULL: the option is the name of a setting */
	enum setting_id id;		  /* that setting */
	const char **words;
	size_t word_count, word_capacity;
};

struct given_list { /* in order of precedence: an option given again moves to the end */
	struct given *items;
	size_t count, capacity;
};

/* The entry of this option, at the end of the list.  Without keeps_words earlier words are
 * discarded.  NULL = out of memory. */
struct given *given_take(struct given_list *list, const struct vocabulary_row *row,
			 enum setting_id id, bool keeps_words);
bool given_word(struct given *given, const char *word);
const struct given *given_find(const struct given_list *list, const char *name);
void given_release(struct given_list *list);

/* Check options that exclude each other, and those that need another. */
enum kymo_status given_check(const struct given_list *list, struct problem *problem);
/* Convert them to settings and actions of the request. */
enum kymo_status given_apply(struct given_list *list, struct vocabulary_request *request,
			     struct problem *problem);

#endif
