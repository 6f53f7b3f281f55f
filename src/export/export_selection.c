/* Selection of processes, threads and regions.  The pattern is matched once per region
 * here, so that no exporter matches text per event. */
#include "export/export_selection.h"

#include <regex.h>

#include "command/xalloc.h"
#include "export/export_samples.h"
#include "model/functions/estimates_text.h"
#include "model/functions/functions.h"
#include "model/recording/label.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"

#define LABEL_SIZE 4096

bool selection_has_recording(const struct export_selection *selection, size_t index)
{
	const struct recording *recording = selection->run->recordings[index];

	return selection->process == 0 || recording->header.pid == selection->process;
}

bool selection_has_thread(const struct export_selection *selection, size_t index, uint32_t thread)
{
	const struct recording *recording = selection->run->recordings[index];

	return selection_has_recording(selection, index) && thread < recording->thread_count &&
	       recording->threads[thread].is_present &&
	       (selection->thread == KYMO_NO_THREAD || selection->thread == thread);
}

bool selection_has_trace(const struct export_selection *selection, size_t index)
{
	const struct recording *recording = selection->run->recordings[index];

	return (recording->header.flags & KYMO_HEADER_TRACE) || recording_has_trace(recording);
}

/* Check that the selected process and thread are in the run. */
static enum kymo_status selection_check(const struct export_selection *selection,
					struct problem *problem)
{
	bool has_process = false;

	for (size_t i = 0; i < selection->run->recording_count; i++) {
		has_process |= selection_has_recording(selection, i);
		if (selection->thread == KYMO_NO_THREAD
			    ? has_process
			    : selection_has_thread(selection, i, selection->thread))
			return KYMO_OK;
	}
	if (!has_process)
		return problem_set(problem, KYMO_USAGE, "'%s' has no process %u",
				   selection->run->path, selection->process);
	return problem_set(problem, KYMO_USAGE, "'%s' has no thread %u", selection->run->path,
			   selection->thread);
}

static bool *selection_match_regions(const struct recording *recording, const regex_t *pattern)
{
	bool *matches = xcalloc((size_t)recording->region_count + 1, sizeof(*matches));
	char label[LABEL_SIZE];

	for (uint32_t i = 0; i < recording->region_count; i++) {
		region_label(&recording->regions[i], label, sizeof(label));
		matches[i] = regexec(pattern, label, 0, NULL, 0) == 0;
	}
	return matches;
}

static void selection_match(struct export_selection *selection, const regex_t *pattern)
{
	size_t count = selection->run->recording_count;

	selection->regions = xcalloc(count, sizeof(*selection->regions));
	for (size_t i = 0; i < count; i++)
		selection->regions[i] =
			selection_match_regions(selection->run->recordings[i], pattern);
}

enum kymo_status selection_init(struct export_selection *selection, const struct run *run,
				const struct export_options *options, struct problem *problem)
{
	enum kymo_status status;
	regex_t pattern;
	char reason[128];
	int error;

	*selection = (struct export_selection){
		.run = run, .process = options->process, .thread = options->thread};
	status = selection_check(selection, problem);
	if (status < 0 || !options->filter)
		return status;
	error = regcomp(&pattern, options->filter, REG_EXTENDED | REG_NOSUB);
	if (error) {
		regerror(error, &pattern, reason, sizeof(reason));
		return problem_set(problem, KYMO_USAGE, "bad pattern '%s': %s", options->filter,
				   reason);
	}
	selection_match(selection, &pattern);
	regfree(&pattern);
	return KYMO_OK;
}

void selection_release(struct export_selection *selection)
{
	for (size_t i = 0; selection->regions && i < selection->run->recording_count; i++)
		xfree(selection->regions[i]);
	xfree(selection->regions);
	selection->regions = NULL;
}

enum kymo_status selection_require_trace(const struct export_selection *selection,
					 const struct run_samples *samples, struct problem *problem)
{
	for (size_t i = 0; i < selection->run->recording_count; i++) {
		if (selection_has_recording(selection, i) &&
		    (selection_has_trace(selection, i) || samples->items[i].samples))
			return KYMO_OK;
	}
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "'%s' holds no trace and no samples: run the program again with -T or "
			   "under kymo sample to record them",
			   selection->run->path);
}

static bool is_written_as_samples(const struct export_selection *selection, size_t index)
{
	return selection->instead && selection->instead->items[index].samples;
}

const char *selection_estimate_text(const struct export_selection *selection)
{
	for (size_t i = 0; i < selection->run->recording_count; i++) {
		const char *text = estimates_text(selection->run->recordings[i]);

		if (text && selection_has_recording(selection, i) &&
		    !is_written_as_samples(selection, i))
			return text;
	}
	return NULL;
}
