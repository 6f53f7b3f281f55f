/* Any bytes as a recording, written in every format: what the reader lets through must
 * not upset an exporter. */
#include <stdint.h>
#include <stdlib.h>

#include "export/export.h"
#include "model/recording/recording_open.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void export_all(const struct run *run, const struct export_options *options)
{
	for (size_t i = 0; i < exporter_count; i++) {
		struct problem problem = {{0}};
		enum kymo_status status =
			export_run(exporter_table[i], run, options, "/dev/null", NULL, &problem);

		/* Whatever fails says why. */
		if (status != KYMO_OK && !problem.text[0])
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct export_options all = EXPORT_OPTIONS_DEFAULT;
	const struct export_options some = {.thread = KYMO_NO_THREAD, .filter = "[a-m]"};
	const struct export_options samples = {.thread = KYMO_NO_THREAD,
					       .prefers_samples = true,
					       .has_lines = true,
					       .has_inlines = true};
	struct recording *recording = NULL;
	struct run run = {
		.path = (char *)(uintptr_t) "fuzz", .recordings = &recording, .recording_count = 1};

	if (recording_open_bytes(data, size, &recording, NULL) != KYMO_OK)
		return 0;
	export_all(&run, &all);
	export_all(&run, &some);
	export_all(&run, &samples);
	recording_free(recording);
	return 0;
}
