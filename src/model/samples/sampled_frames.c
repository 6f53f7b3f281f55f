/* The frames of samples and their regions. Identical functions are one region, also with those
 * recorded by other collectors.  Names are copied to the recording, since regions outlive the
 * resolver. */
#include "model/samples/sampled_frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hashset.h"
#include "model/code/locations.h"
#include "model/functions/functions.h"
#include "model/recording/chunks.h"
#include "model/code/python_lines.h"
#include "model/samples/sampled_origin.h"

#define UNKNOWN		"(unknown)"
#define INSTRUMENTATION "[instrumentation]"
#define LINE_FLAGS	(REGION_IS_LINE | KYMO_REGION_LABEL_FILE | KYMO_REGION_LABEL_LINE)

struct sampled_frames {
	struct recording *recording;
	struct sampled_options options;
	struct locations *names;     /* functions only: sufficient for hidden frames */
	struct locations *locations; /* with lines and inlined functions, if selected */
	struct sampled_frame *frames;
	size_t count, capacity;
	uint32_t *inlined; /* regions of the functions inlined, outermost first */
	size_t inlined_count, inlined_capacity;
	struct hashset by_word; /* values are indexes of frames + 1 */
	struct hashset regions; /* values are ids */
};

static uint64_t frames_hash_text(uint64_t seed, const char *text)
{
	return hash_bytes(seed, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t frames_region_hash(const struct region *region)
{
	uint32_t numbers[2] = {(uint32_t)region->kind, region->line};
	uint64_t hash = hash_bytes(HASH_SEED, numbers, sizeof(numbers));

	return frames_hash_text(
		frames_hash_text(frames_hash_text(hash, region->name), region->file),
		region->module);
}

static bool frames_is_same_text(const char *left, const char *right)
{
	return left && right ? strcmp(left, right) == 0 : left == right;
}

struct region_key {
	const struct recording *recording;
	const struct region *region;
};

static bool is_region(uint64_t value, const void *key)
{
	const struct region_key *wanted = key;
	const struct region *have = &wanted->recording->regions[value], *want = wanted->region;

	return have->kind == want->kind && have->line == want->line && !have->arguments &&
	       frames_is_same_text(have->name, want->name) &&
	       frames_is_same_text(have->file, want->file) &&
	       frames_is_same_text(have->module, want->module) &&
	       !((have->flags ^ want->flags) & (KYMO_REGION_GENERATOR | REGION_IS_LINE));
}

/* Texts in the file live as long as the recording. */
static bool frames_is_kept(const struct recording *recording, const char *text)
{
	uintptr_t start = (uintptr_t)recording->data, at = (uintptr_t)text;

	return at >= start && at - start < recording->size;
}

static bool keep_texts(struct recording *recording, struct region *region)
{
	const char **texts[] = {&region->name, &region->qualname, &region->file, &region->module};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!*texts[i] || frames_is_kept(recording, *texts[i]))
			continue;
		*texts[i] = recording_keep(recording, *texts[i]);
		if (!*texts[i])
			return false;
	}
	return true;
}

/* Id of a region like this one; 0 = no memory. */
static uint32_t region_intern(struct sampled_frames *frames, const struct region *region)
{
	struct region_key key = {frames->recording, region};
	uint64_t hash = frames_region_hash(region);
	uint64_t known = hashset_find(&frames->regions, hash, is_region, &key);
	struct region made = *region;
	uint32_t id;

	if (known)
		return (uint32_t)known;
	if (!keep_texts(frames->recording, &made))
		return 0;
	id = recording_add_region(frames->recording, &made);
	return id && hashset_insert(&frames->regions, hash, id) ? id : 0;
}

static bool regions_known(struct sampled_frames *frames)
{
	const struct recording *recording = frames->recording;

	for (uint32_t id = 1; id < recording->region_count; id++) {
		const struct region *region = &recording->regions[id];

		if ((region->kind == KYMO_REGION_PYTHON || region->kind == KYMO_REGION_NATIVE) &&
		    !region->arguments &&
		    !hashset_insert(&frames->regions, frames_region_hash(region), id))
			return false;
	}
	return true;
}

static bool make_python(struct sampled_frames *frames, struct sampled_frame *frame)
{
	uint64_t content = kymo_frame_content(frame->word);
	struct region region = {.kind = KYMO_REGION_PYTHON, .name = UNKNOWN};
	struct sample_code code;

	frame->origin = SAMPLED_FROM_PYTHON;
	if (samples_code(frames->recording, (uint32_t)(content >> 32), &code)) {
		region.name = code.name ? code.name : UNKNOWN;
		region.qualname = code.qualname;
		region.file = code.file;
		region.line = code.first_line;
		region.flags = code.flags & KYMO_CODE_GENERATOR ? KYMO_REGION_GENERATOR : 0;
		if (frames->options.has_lines) {
			uint32_t line = python_line(code.version, code.lines, code.lines_size,
						    code.first_line, (uint32_t)content);

			region.line = line ? line : code.first_line;
			region.flags |= LINE_FLAGS;
		}
	}
	frame->region = region_intern(frames, &region);
	frame->region_count = 1;
	return frame->region != 0;
}

static uint32_t native_region(struct sampled_frames *frames, const struct location *location,
			      const char *module)
{
	struct region region = {
		.kind = KYMO_REGION_NATIVE,
		.name = location->function,
		.module = module,
		.file = location->file,
		.line = location->first_line,
	};

	if (frames->options.has_lines && location->line) {
		region.line = location->line;
		region.flags = LINE_FLAGS;
	}
	return region_intern(frames, &region);
}

/* Regions of the functions inlined there; locations have the innermost first. */
static bool add_inlined(struct sampled_frames *frames, const struct location *locations,
			size_t count, const char *module)
{
	uint32_t *grown = array_grow(frames->inlined, &frames->inlined_capacity,
				     frames->inlined_count + count, sizeof(*grown));

	if (!grown)
		return false;
	frames->inlined = grown;
	while (count > 0) {
		uint32_t region = native_region(frames, &locations[--count], module);

		if (!region)
			return false;
		frames->inlined[frames->inlined_count++] = region;
	}
	return true;
}

/* Debug information is read for visible frames only. */
static bool is_detailed(const struct sampled_frames *frames, enum sampled_origin origin)
{
	return frames->locations != frames->names &&
	       (origin == SAMPLED_FROM_PROGRAM || frames->options.keeps_internal);
}

/* Code that records a function's calls is mapped to the function's start.  False: such code of
 * several functions. */
static bool frames_find_function(const struct sampled_frames *frames, uint64_t *address)
{
	const struct functions *functions = frames->recording->functions;
	uint32_t id;

	if (!functions || !functions_code_at(&functions->code, *address, &id))
		return true;
	if (id >= functions->count)
		return false;
	*address = functions->items[id].address;
	return true;
}

/* The code shared by all instrumented functions. */
static bool make_shared(struct sampled_frames *frames, struct sampled_frame *frame)
{
	const struct region region = {.kind = KYMO_REGION_NATIVE, .name = INSTRUMENTATION};

	frame->origin = SAMPLED_FROM_KYMO;
	frame->region = region_intern(frames, &region);
	frame->region_count = 1;
	return frame->region != 0;
}

/* "poll", or "hiding_poll" if that is the same wrapper's name. */
static bool is_wrapper(const char *path, const char *function)
{
	static const char prefix[] = "hiding_";
	size_t length = sizeof(prefix) - 1;

	if (!path || !strstr(path, "/libkymo-signal_hiding"))
		return false;
	return sampled_call_named(strncmp(function, prefix, length) == 0 ? function + length
									 : function) != NULL;
}

static bool make_native(struct sampled_frames *frames, struct sampled_frame *frame)
{
	uint64_t address = kymo_frame_content(frame->word);
	const struct location *found;
	const struct module *module = NULL;
	const char *path, *name;
	size_t count;

	if (!frames_find_function(frames, &address))
		return make_shared(frames, frame);
	count = locations_find(frames->names, address, &found, &module);
	path = module ? module->path : NULL;
	name = module ? module->name : NULL;
	frame->origin = sampled_origin_of(path, found[count - 1].function);
	frame->is_of_no_file = !path;
	frame->is_gil_wait = frame->origin == SAMPLED_FROM_INTERPRETER &&
			     strcmp(found[count - 1].function, "take_gil") == 0;
	frame->is_evaluation = frame->origin == SAMPLED_FROM_INTERPRETER &&
			       sampled_is_evaluation(found[count - 1].function);
	frame->is_recording = frame->origin == SAMPLED_FROM_KYMO && path &&
			      strstr(path, "/libkymo-functions") != NULL;
	frame->is_kymo_sleep = frame->origin == SAMPLED_FROM_KYMO &&
			       strstr(found[count - 1].function, "sleep") != NULL;
	if (frame->origin == SAMPLED_FROM_LIBC)
		frame->call = sampled_call_named(found[count - 1].function);
	frame->is_wrapper =
		frame->origin == SAMPLED_FROM_KYMO && is_wrapper(path, found[count - 1].function);
	if (is_detailed(frames, frame->origin))
		count = locations_find(frames->locations, address, &found, &module);
	frame->region = native_region(frames, &found[count - 1], name);
	frame->region_count = 1;
	if (!frame->region || !frames->options.has_inlines || count == 1)
		return frame->region != 0;
	frame->region_count = (uint32_t)count;
	frame->region = (uint32_t)frames->inlined_count;
	return add_inlined(frames, found, count, name);
}

static bool make_kernel(struct sampled_frames *frames, struct sampled_frame *frame)
{
	uint32_t number = (uint32_t)(kymo_frame_content(frame->word) >> 48);
	struct region region = {.kind = KYMO_REGION_NATIVE};
	char name[64];

	frame->origin = SAMPLED_FROM_KERNEL;
	frame->call = sampled_call_find(number);
	if (frame->call)
		snprintf(name, sizeof(name), "%s (kernel)", frame->call->name);
	else
		snprintf(name, sizeof(name), "system call %" PRIu32 " (kernel)", number);
	region.name = name;
	frame->region = region_intern(frames, &region);
	frame->region_count = 1;
	return frame->region != 0;
}

static bool make_mark(struct sampled_frames *frames, struct sampled_frame *frame)
{
	static const char *const names[] = {
		[0] = "[unknown mark]",
		[KYMO_MARK_CUT] = "[stack is cut]",
		[KYMO_MARK_LOST] = "[callers not found]",
		[KYMO_MARK_UNCERTAIN] = "[order is uncertain]",
		[KYMO_MARK_NO_STACK] = "[no stack]",
	};
	uint8_t mark = (uint8_t)kymo_frame_content(frame->word);
	struct region region = {.kind = KYMO_REGION_NATIVE};

	frame->origin = SAMPLED_FROM_NOWHERE;
	region.name = names[mark < sizeof(names) / sizeof(names[0]) ? mark : 0];
	frame->region = region_intern(frames, &region);
	frame->region_count = 1;
	return frame->region != 0;
}

uint32_t sampled_frames_named(struct sampled_frames *frames, const char *name)
{
	return region_intern(frames, &(struct region){.kind = KYMO_REGION_NATIVE, .name = name});
}

static bool make_frame(struct sampled_frames *frames, struct sampled_frame *frame)
{
	switch (kymo_frame_kind(frame->word)) {
	case KYMO_FRAME_PYTHON:
		return make_python(frames, frame);
	case KYMO_FRAME_KERNEL:
		return make_kernel(frames, frame);
	case KYMO_FRAME_MARK:
		return make_mark(frames, frame);
	case KYMO_FRAME_NATIVE:
		break;
	}
	return make_native(frames, frame);
}

const struct sampled_frame *sampled_frames_find(struct sampled_frames *frames, uint64_t word)
{
	uint64_t hash = hash_pair((uint32_t)(word >> 32), (uint32_t)word);
	uint64_t known = hashset_find_key(&frames->by_word, hash);
	struct sampled_frame *grown;

	if (known)
		return &frames->frames[known - 1];
	grown = array_grow(frames->frames, &frames->capacity, frames->count + 1, sizeof(*grown));
	if (!grown)
		return NULL;
	frames->frames = grown;
	grown += frames->count;
	*grown = (struct sampled_frame){.word = word, .index = (uint32_t)frames->count};
	if (!make_frame(frames, grown) ||
	    !hashset_insert(&frames->by_word, hash, frames->count + 1))
		return NULL;
	frames->count++;
	return grown;
}

const struct sampled_frame *sampled_frames_at(const struct sampled_frames *frames, uint32_t index)
{
	return &frames->frames[index];
}

bool sampled_frames_keep_internal(const struct sampled_frames *frames)
{
	return frames->options.keeps_internal;
}

uint32_t sampled_frames_region(const struct sampled_frames *frames,
			       const struct sampled_frame *frame, uint32_t index)
{
	return frame->region_count == 1 ? frame->region : frames->inlined[frame->region + index];
}

/* The locations for samples with these options, created if needed. */
static struct locations *locations_of(const struct recording *recording,
				      const struct samples *samples,
				      const struct locations_options *wanted)
{
	struct locations **kept = &samples->locations[wanted->has_lines | wanted->has_inlines << 1 |
						      wanted->uses_debuginfod << 2];

	if (!*kept)
		*kept = locations_new(recording, wanted);
	return *kept;
}

enum kymo_status sampled_frames_new(struct recording *recording, const struct samples *samples,
				    const struct sampled_options *options,
				    struct sampled_frames **out)
{
	struct locations_options names = {.uses_debuginfod = options->uses_debuginfod};
	struct locations_options wanted = {
		.has_lines = options->has_lines || options->has_files,
		.has_inlines = options->has_inlines,
		.uses_debuginfod = options->uses_debuginfod,
	};
	struct sampled_frames *frames = calloc(1, sizeof(*frames));

	if (!frames)
		return KYMO_MEMORY;
	frames->recording = recording;
	frames->options = *options;
	frames->names = locations_of(recording, samples, &names);
	frames->locations = locations_of(recording, samples, &wanted);
	if (!frames->names || !frames->locations || !regions_known(frames)) {
		sampled_frames_free(frames);
		return KYMO_MEMORY;
	}
	*out = frames;
	return KYMO_OK;
}

/* Report what could not be resolved, once for all tables. */
static void report_unresolved(struct recording *recording, const struct locations *locations)
{
	char *const *lines;
	size_t count = locations_problems(locations, &lines);

	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		while (k < recording->problem_count &&
		       strcmp(recording->problems[k], lines[i]) != 0)
			k++;
		if (k == recording->problem_count)
			recording_add_problem(recording, "%s", lines[i]);
	}
}

void sampled_frames_free(struct sampled_frames *frames)
{
	if (!frames)
		return;
	if (frames->names)
		report_unresolved(frames->recording, frames->names);
	if (frames->locations)
		report_unresolved(frames->recording, frames->locations);
	hashset_release(&frames->by_word);
	hashset_release(&frames->regions);
	free(frames->frames);
	free(frames->inlined);
	free(frames);
}
