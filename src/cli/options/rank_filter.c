/* Which MPI ranks write files and print. */
#include "cli/options/rank_filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/listitem.h"

static const char *const rank_variables[] = {"MPI_RANKID", "MV2_COMM_WORLD_RANK",
					     "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID"};
static const char *const size_variables[] = {"MPI_NRANKS", "MV2_COMM_WORLD_SIZE",
					     "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* The whole number of exactly this text; -1 = invalid. */
static long filter_parse_number(const char *text, size_t length)
{
	char *end;
	long number;

	if (length == 0 || !isdigit((unsigned char)*text))
		return -1;
	errno = 0;
	number = strtol(text, &end, 10);
	return end == text + length && errno == 0 ? number : -1;
}

static long recorded_number(const struct recording *recording, const char *name)
{
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_ENVIRONMENT && strcmp(note->key, name) == 0)
			return filter_parse_number(note->value, strlen(note->value));
	}
	return -1;
}

static long filter_first_number(const struct recording *recording, const char *const *names,
				size_t count)
{
	long number = -1;

	for (size_t i = 0; i < count && number < 0; i++)
		number = recorded_number(recording, names[i]);
	return number;
}

long rank_of(const struct recording *recording, const struct settings *settings)
{
	const char *own = settings_text(settings, SET_RANK_FILTER_ID);
	long rank = own[0] ? recorded_number(recording, own) : -1;
	long size = filter_first_number(recording, size_variables, COUNT_OF(size_variables));

	if (rank < 0)
		rank = filter_first_number(recording, rank_variables, COUNT_OF(rank_variables));
	return size >= 0 && rank >= size ? -1 : rank;
}

bool rank_is_listed(const char *list, long rank)
{
	bool has_any = false;
	const char *item;
	size_t length;

	if (rank < 0)
		return true;
	while (listitem_next(&list, &item, &length)) {
		const char *dash = memchr(item, '-', length);
		size_t head = dash ? (size_t)(dash - item) : length;
		long first = filter_parse_number(item, head);
		long last = dash ? filter_parse_number(dash + 1, length - head - 1) : first;

		if (first < 0 || last < first)
			continue;
		if (rank >= first && rank <= last)
			return true;
		has_any = true;
	}
	return !has_any;
}
