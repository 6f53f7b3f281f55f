/* A run's export as bytes in memory: what the exporters' tests look at. */
#ifndef KYMO_EXPORTED_H
#define KYMO_EXPORTED_H

#include <stddef.h>

#include "export/export.h"
#include "synthetic.h"

struct exported {
	enum kymo_status status;
	struct problem problem;
	char *data; /* NUL-terminated; NULL unless status is KYMO_OK */
	size_t size;
};

/* Export the recordings, closed or not, as one run; options NULL = the default ones. */
struct exported exported_new(const char *format, struct synthetic *const *recordings, size_t count,
			     const struct export_options *options);
void exported_free(struct exported *exported);

/* The same of one recording, which must succeed; the caller frees the text. */
char *exported_text(const char *format, struct synthetic *recording,
		    const struct export_options *options);

/* A function of Python of a synthetic recording: its region. */
uint32_t exported_python(struct synthetic *made, const char *name, const char *file, uint32_t line);
/* main calls work: samples of 5000 events each, one in main and two in work. */
struct synthetic *exported_overflows(void);

#endif
