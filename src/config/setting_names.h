/* What a name refers to: a setting, one of another tool that has no effect here, or nothing.
 * Prefixes are optional, case is ignored, '-' equals '_'.  Context: any. */
#ifndef KYMO_SETTING_NAMES_H
#define KYMO_SETTING_NAMES_H

#include <stdbool.h>
#include <stddef.h>

enum setting_prefix { /* weakest first: where several are set, the later one counts */
		      SETTING_PREFIX_NONE,
		      SETTING_PREFIX_OMNITRACE,
		      SETTING_PREFIX_ROCPROFSYS,
		      SETTING_PREFIX_KYMO,
		      SETTING_PREFIX_COUNT
};

enum setting_name_kind {
	SETTING_NAME_OWN,     /* a name of settings.def */
	SETTING_NAME_ALIAS,   /* an older name of one */
	SETTING_NAME_FOREIGN, /* known under another tool's prefix, no effect here */
	SETTING_NAME_PRIVATE, /* KYMO_ variables of builds and tests: not settings */
	SETTING_NAME_UNKNOWN,
};

struct setting_name {
	enum setting_prefix prefix;
	enum setting_name_kind kind;
	int id; /* enum setting_id, -1 unless OWN or ALIAS */
};

/* length of name, which need not be terminated there (an environment entry). */
struct setting_name setting_name_resolve(const char *name, size_t length);

/* The prefix name begins with, and where the rest begins. */
enum setting_prefix setting_prefix_of(const char *name, size_t length, size_t *rest_out);

#endif
