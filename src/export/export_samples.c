/* Samples for exporters: the stacks of all threads, with their frames as regions. */
#include "export/export_samples.h"

#include <stdio.h>

#include "command/xalloc.h"
#include "export/export_names.h"
#include "model/samples/sampled_tree.h"

/* The region of the whole program does not count as a call. */
static bool samples_has_calls(const struct recording *recording)
{
	for (uint32_t i = 0; i < recording->region_count; i++) {
		if (recording->regions[i].kind != KYMO_REGION_ROOT &&
		    recording->regions[i].kind != KYMO_REGION_PROGRAM)
			return recording->header.flags & (KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);
	}
	return false;
}

static bool samples_is_wanted(const struct recording *recording,
			      const struct export_options *options, bool only_alone)
{
	if (options->process && recording->header.pid != options->process)
		return false;
	return !only_alone || options->prefers_samples || !samples_has_calls(recording);
}

enum kymo_status run_samples_open(struct run_samples *samples, const struct run *run,
				  const struct export_options *options, bool only_alone,
				  struct problem *problem)
{
	const struct sampled_options sampled = {
		.has_lines = options->has_lines,
		.has_inlines = options->has_inlines,
		.has_files = true,
		.uses_debuginfod = options->uses_debuginfod,
	};
	enum kymo_status status = KYMO_OK;

	samples->count = run->recording_count;
	samples->items = xcalloc(run->recording_count + 1, sizeof(*samples->items));
	for (size_t i = 0; i < run->recording_count && status == KYMO_OK; i++) {
		samples->items[i].recording = run->recordings[i];
		if (samples_is_wanted(run->recordings[i], options, only_alone))
			status = recording_samples_open(&samples->items[i], run->recordings[i],
							NULL, &sampled, problem);
	}
	if (status < 0)
		run_samples_close(samples);
	return status;
}

void run_samples_close(struct run_samples *samples)
{
	for (size_t i = 0; i < samples->count; i++)
		recording_samples_close(&samples->items[i]);
	xfree(samples->items);
	*samples = (struct run_samples){0};
}

enum sampled_by samples_weighed_by(const struct recording_samples *samples)
{
	return samples->scale.cpu_kind == KYMO_SAMPLE_KINDS ? SAMPLED_BY_EVENT : SAMPLED_BY_WALL;
}

enum kymo_status samples_or_calls_tree_new(const struct recording_samples *samples,
					   struct calltree **out, struct problem *problem)
{
	struct sampled_options options = samples->options;

	if (!samples->samples)
		return calltree_new(samples->recording, out, problem);
	options.weight = samples_weighed_by(samples);
	return sampled_tree_new(samples->recording, samples->samples, &options, out, problem);
}

void samples_track_title(const struct recording_samples *samples, uint32_t thread,
			 enum sample_track track, char *text, size_t size)
{
	static const char *const kinds[SAMPLE_TRACKS] = {
		[SAMPLE_TRACK_WALL] = "",
		[SAMPLE_TRACK_CPU] = " CPU",
		[SAMPLE_TRACK_OVERFLOW] = " Overflow",
		[SAMPLE_TRACK_GIL] = " GIL",
	};

	snprintf(text, size, "Thread %u%s (S) %llu", thread, kinds[track],
		 (unsigned long long)thread_export_id(samples->recording, thread));
}

void samples_each_track(const struct recording_samples *samples, uint32_t thread,
			const bool *selected, const struct export_sink *sink,
			samples_begin_fn begin, const struct sample_slices *slices)
{
	char title[EXPORT_NAME_SIZE];

	for (enum sample_track track = 0; track < SAMPLE_TRACKS; track++) {
		if (!samples_has_track(samples, thread, track) || sink_has_failed(sink))
			continue;
		samples_track_title(samples, thread, track, title, sizeof(title));
		begin(slices->context, thread * SAMPLE_TRACKS + track, title);
		samples_each_slice(samples, thread, track, selected, slices);
	}
}
