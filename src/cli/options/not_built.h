/* Known options, words of options and keys of presets that are not in this build, each with the
 * part that it needs.  A table; nothing is owned.  Any thread. */
#ifndef KYMO_NOT_BUILT_H
#define KYMO_NOT_BUILT_H

#include <stddef.h>

#include "base/status.h"

enum not_built_kind { NOT_BUILT_OPTION, NOT_BUILT_WORD, NOT_BUILT_KEY };

struct not_built {
	enum not_built_kind kind;
	const char *of; /* OPTION: the only command that has it, "" = all that record; WORD: the
			   option; KEY: "" */
	char letter;	/* 0 = none */
	const char *name;
	const char *needs; /* "a GPU collector" */
};
extern const struct not_built not_built_table[];
extern const size_t not_built_count;

/* NULL = there is none. */
const struct not_built *not_built_option(const char *command, const char *name);
const struct not_built *not_built_letter(const char *command, char letter);
const struct not_built *not_built_word(const char *option, const char *word, size_t length);
const struct not_built *not_built_key(const char *key);

/* As users write it: "--device", "--include ompt", "tracing.legacy". */
void not_built_spell(const struct not_built *row, char *text, size_t size);

/* The error message for it; returns KYMO_USAGE. */
enum kymo_status not_built_refuse(const struct not_built *row, struct problem *problem);

#endif
