/* Any text as a list of time windows: what is accepted must run to its end, or for ever, as
 * edges in order. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "config/periods.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct periods *periods)
{
	if (periods->count > PERIODS_MAX)
		abort();
	for (size_t i = 0; i < periods->count; i++) {
		const struct period *item = &periods->items[i];
		int is_last = i + 1 == periods->count;

		if (item->delay_ns / 1000000000 > 1000000000 ||
		    item->duration_ns / 1000000000 > 1000000000)
			abort();
		if (!is_last && (item->repeat == 0 || item->duration_ns == 0))
			abort();
		if (item->duration_ns == 0 && item->repeat != 1)
			abort();
		if (item->clock < 0 || item->clock > 7)
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct problem problem = {""};
	struct periods periods;
	char *text = malloc(size + 1);
	enum kymo_status status;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	status = periods_parse(text, CLOCK_REALTIME, &periods, &problem);
	if (status == KYMO_OK)
		check(&periods);
	else if (status != KYMO_USAGE || !problem.text[0] || strchr(problem.text, '\n'))
		abort();
	free(text);
	return 0;
}
