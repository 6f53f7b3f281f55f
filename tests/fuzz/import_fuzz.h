/* What the fuzz targets of importers share: read the input as a file of one format and look at
 * all that came of it. */
#ifndef KYMO_IMPORT_FUZZ_H
#define KYMO_IMPORT_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

#include "import/import.h"
#include "import/imported_slices.h"

static void import_fuzz_slice(void *context, int64_t ns, uint32_t node)
{
	int64_t *depth = context;

	(void)ns;
	*depth += node ? 1 : -1;
	if (*depth < 0)
		abort();
}

static void import_fuzz(const char *format, const uint8_t *data, size_t size)
{
	struct import_source source = import_source_bytes("fuzzed", data, size);
	const struct importer *importer = importer_find(format);
	struct imported imported;
	struct problem problem;

	imported_init(&imported);
	imported.importer = format;
	importer->detect(source.data, size < IMPORT_HEAD_MAX ? size : IMPORT_HEAD_MAX);
	if (import_read(importer, &source, &imported, &problem) == KYMO_OK) {
		for (uint32_t i = 1; i < imported.node_count; i++) {
			if (imported.nodes[i].parent >= i)
				abort();
		}
		for (uint32_t i = 1; i <= imported.thread_count; i++) {
			int64_t depth = 0;

			imported_slices(&imported, i, import_fuzz_slice, &depth);
			if (depth != 0)
				abort();
		}
	}
	imported_release(&imported);
}

#endif
