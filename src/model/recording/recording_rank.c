/* A process's rank: what it noted itself, else what its environment says. */
#include "model/recording/recording_rank.h"

#include <errno.h>
#include <stdlib.h>

#include "config/mpirank.h"
#include "model/recording/recording_open.h"

/* -1 = text is not an integer in range. */
static int32_t rank_number_of(const char *text)
{
	char *end;
	long number;

	if (!text || *text < '0' || *text > '9')
		return -1;
	errno = 0;
	number = strtol(text, &end, 10);
	return *end == '\0' && errno == 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static const char *rank_environment_of(const void *context, const char *name)
{
	return recording_note(context, KYMO_NOTE_ENVIRONMENT, name);
}

uint32_t recording_rank_count(const struct recording *recording)
{
	int32_t count = rank_number_of(recording_note(recording, KYMO_NOTE_INFO, "ranks"));

	if (count < 0)
		count = rank_number_of(mpirank_size_text(rank_environment_of, recording));
	return count > 0 ? (uint32_t)count : 0;
}

int32_t recording_rank(const struct recording *recording)
{
	int32_t rank = rank_number_of(recording_note(recording, KYMO_NOTE_INFO, "rank"));
	uint32_t count = recording_rank_count(recording);

	if (rank < 0)
		rank = rank_number_of(mpirank_text(rank_environment_of, recording));
	return count > 0 && rank >= (int32_t)count ? -1 : rank;
}
