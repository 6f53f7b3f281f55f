/* Any bytes as a recording that is merged, in a tree so small that most of it goes to a file; what
 * comes out is a recording without faults. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merge/merge_state.h"
#include "merge/merge_add.h"
#include "model/recording/recording_open.h"
#include "model/recording/recording_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void read_back(const char *path)
{
	struct recording *recording;
	struct share_position position = {0};
	struct recording_share share;
	struct calltree *tree;
	struct problem problem;

	must(recording_open(path, &recording, &problem) == KYMO_OK);
	must(recording->problem_count == 0 && recording->part_count > 0);
	must(calltree_new(recording, &tree, &problem) == KYMO_OK);
	must(tree->dropped_count == 0);
	while (recording_share(recording, &position, &share))
		must(share.total_ns >= share.self_ns && share.work_total_ns >= share.work_ns);
	calltree_free(tree);
	recording_free(recording);
}

static void merge(struct recording *recording)
{
	static const uint8_t run_id[16] = {1};
	bool is_sampled = !(recording->header.flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE));
	char directory[] = "/tmp/kymo-fuzz-XXXXXX", path[64];
	struct merge_state state;
	struct problem problem;
	enum kymo_status status;

	must(mkdtemp(directory) != NULL);
	snprintf(path, sizeof(path), "%s/merged.kymo", directory);
	merge_state_init(&state, directory, 4096);
	status = merge_state_add(&state, recording, is_sampled, "run", run_id, &problem);
	if (status == KYMO_OK && state.parts.count > 0 &&
	    merge_state_write(&state, path, is_sampled, &problem) == KYMO_OK)
		read_back(path);
	merge_state_release(&state);
	unlink(path);
	must(rmdir(directory) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Aligned, and no larger than what it is, so that reading behind it is found. */
	void *copy = aligned_alloc(8, size ? (size + 7) / 8 * 8 : 8);
	struct recording *recording;
	struct problem problem;

	must(copy != NULL);
	memcpy(copy, data, size);
	if (recording_open_bytes(copy, size, &recording, &problem) == KYMO_OK) {
		merge(recording);
		recording_free(recording);
	}
	free(copy);
	return 0;
}
