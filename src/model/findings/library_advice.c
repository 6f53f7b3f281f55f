/* Samples taken with the calls show which libraries took the time; without them the survey from
 * outside the process does.  Without both, it is only known that a function which is seldom called
 * has nearly all the time, and which libraries were loaded. */
#include "model/findings/library_advice.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/text/textbuf.h"
#include "format/format.h"
#include "model/code/symbols.h"
#include "model/findings/finding.h"
#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "model/samples/samples.h"
#include "object/image/elfimage.h"
#include "object/names/system_library.h"

#define SHARE_LEAST   0.50 /* of the time: less does not dominate the run */
#define CALLS_MOST    100  /* code that computes itself is called more often, or loops inside */
#define LIBRARY_LEAST 0.05 /* of the time, to be named */
#define NAMED_MOST    3
#define STACKS_LEAST  6	 /* of the survey: fewer are not significant */
#define COMMAND_MOST  60 /* bytes of the program's command line */
#define GO_TABLE      ".gopclntab"

struct libraries { /* of one recording */
	const struct recording *recording;
	double *weights; /* of each module, seconds in samples */
	double all;	 /* of the process */
	const char *by;	 /* the source of these weights */
};

static const char *advice_file_name(const struct recording *recording, size_t module)
{
	return path_base_name(recording->modules[module].path);
}

static const char *executable_of(const struct recording *recording)
{
	const char *path = recording_note(recording, KYMO_NOTE_INFO, "executable");

	return path ? path : "";
}

static bool advice_is_same_file(const struct recording *recording, size_t a, size_t b)
{
	return strcmp(recording->modules[a].path, recording->modules[b].path) == 0;
}

/* One of its functions was instrumented. */
static bool advice_is_recorded(const struct recording *recording, size_t module)
{
	const struct functions *functions = recording->functions;

	for (uint32_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->items[i];

		if (function->region && function->address >= recording->modules[module].start &&
		    function->address < recording->modules[module].end)
			return true;
	}
	return false;
}

/* A library that could be instrumented. */
static bool advice_is_candidate(const struct recording *recording, size_t module)
{
	const char *path = recording->modules[module].path, *name = path_base_name(path);

	if (*path != '/' || library_is_kymo(name) || strcmp(path, executable_of(recording)) == 0)
		return false;
	for (size_t i = 0; i < module; i++)
		if (advice_is_same_file(recording, i, module))
			return false;
	return !advice_is_recorded(recording, module);
}

/* The first module of a file that has several. */
static size_t advice_module_of(const struct recording *recording, uint64_t address)
{
	const struct module *found = symbols_module_at(recording, address);

	for (size_t i = 0; found && i < recording->module_count; i++)
		if (strcmp(recording->modules[i].path, found->path) == 0)
			return i;
	return SIZE_MAX;
}

/* The library that a stack is attributed to: the system's own code counts for its caller. */
static size_t advice_blame(const struct samples *samples, uint32_t thread, uint32_t stack)
{
	const struct recording *recording = samples->recording;
	size_t innermost = SIZE_MAX;
	uint64_t frame;

	for (uint32_t parent; stack && samples_frame(samples, thread, stack, &frame, &parent);
	     stack = parent) {
		size_t module = kymo_frame_kind(frame) == KYMO_FRAME_NATIVE
					? advice_module_of(recording, kymo_frame_content(frame))
					: SIZE_MAX;

		if (module == SIZE_MAX)
			continue;
		if (innermost == SIZE_MAX)
			innermost = module;
		if (strcmp(recording->modules[module].path, executable_of(recording)) == 0)
			return innermost;
		if (!library_is_of_system(advice_file_name(recording, module)))
			return module;
	}
	return innermost;
}

static bool weigh_thread(struct libraries *libraries, const struct samples *samples,
			 uint32_t thread)
{
	uint32_t count = samples_stack_count(samples, thread);
	double *stacks = calloc((size_t)count + 1, sizeof(*stacks));
	struct sample_position position = {0};
	struct sample sample;

	if (!stacks)
		return false;
	while (samples_next(samples, thread, &position, &sample)) {
		double ns = isnan(sample.cpu_ns) ? sample.wall_ns : sample.cpu_ns;

		if (sample.kind != KYMO_SAMPLE_OVERFLOW && sample.stack < count)
			stacks[sample.stack] += ns * 1e-9;
	}
	for (uint32_t stack = 1; stack < count; stack++) {
		size_t module = stacks[stack] > 0 ? advice_blame(samples, thread, stack) : SIZE_MAX;

		libraries->all += stacks[stack];
		if (module != SIZE_MAX)
			libraries->weights[module] += stacks[stack];
	}
	free(stacks);
	return true;
}

/* An entry being written may be there before the sum is. */
static void weigh_survey(struct libraries *libraries)
{
	const struct kymo_survey *survey = &libraries->recording->header.survey;
	uint32_t count =
		survey->file_count < KYMO_SURVEY_FILES ? survey->file_count : KYMO_SURVEY_FILES;
	double sum = 0;

	if (survey->stack_count < STACKS_LEAST)
		return;
	for (uint32_t i = 0; i < count; i++) {
		size_t module = advice_module_of(libraries->recording, survey->files[i].address);
		double seconds = (double)survey->files[i].ns * 1e-9;

		sum += seconds;
		if (module != SIZE_MAX)
			libraries->weights[module] += seconds;
	}
	libraries->all = fmax(sum, (double)survey->all_ns * 1e-9);
	libraries->by = "By samples from outside about";
}

static bool advice_weigh(struct libraries *libraries, const struct samples *samples)
{
	const struct recording *recording = libraries->recording;
	bool is_done = true;

	libraries->weights = calloc(recording->module_count + 1, sizeof(double));
	if (!libraries->weights)
		return false;
	for (uint32_t i = 0; samples && i < recording->thread_count && is_done; i++)
		is_done = weigh_thread(libraries, samples, i);
	libraries->by = "By the samples";
	if (libraries->all <= 0)
		weigh_survey(libraries);
	for (size_t i = 0; i < recording->module_count; i++)
		if (libraries->weights[i] > 0 && !advice_is_candidate(recording, i))
			libraries->weights[i] = 0;
	return is_done;
}

/* Remove and return the heaviest; SIZE_MAX: none is significant. */
static size_t take_heaviest(struct libraries *libraries, double *seconds_out)
{
	size_t heaviest = SIZE_MAX;

	for (size_t i = 0; i < libraries->recording->module_count; i++)
		if (libraries->weights[i] >= LIBRARY_LEAST * libraries->all &&
		    libraries->weights[i] > 0 &&
		    (heaviest == SIZE_MAX || libraries->weights[i] > libraries->weights[heaviest]))
			heaviest = i;
	if (heaviest != SIZE_MAX) {
		*seconds_out = libraries->weights[heaviest];
		libraries->weights[heaviest] = 0;
	}
	return heaviest;
}

static const char *advice_text_of(const struct textbuf *buffer)
{
	return buffer->data ? buffer->data : "";
}

/* "libgvc" of "libgvc.so.6", with special characters of regular expressions escaped. */
static void add_pattern(struct textbuf *text, const char *name)
{
	const char *end = strstr(name, ".so");

	for (const char *c = name; *c && c != end; c++)
		textbuf_format(text, strchr(".+*?()[]{}|^$\\", *c) ? "\\%c" : "%c", *c);
}

static const char *command_of(const struct recording *recording, char text[COMMAND_MOST + 1])
{
	const char *command = recording_note(recording, KYMO_NOTE_INFO, "command");

	if (!command || strlen(command) > COMMAND_MOST || strchr(command, '`'))
		return "...";
	memcpy(text, command, strlen(command) + 1);
	return text;
}

static void advise_measured(struct library_advice *advice, struct libraries *libraries)
{
	struct textbuf text = {0}, names = {0}, patterns = {0};
	char command[COMMAND_MOST + 1];
	double seconds, sum = 0;
	size_t count = 0, module;

	while (count < NAMED_MOST && (module = take_heaviest(libraries, &seconds)) != SIZE_MAX) {
		const char *name = advice_file_name(libraries->recording, module);

		textbuf_format(&names, "%s%s %.0f %%", count ? ", " : "", name,
			       100 * seconds / libraries->all);
		textbuf_text(&patterns, count ? "|" : "");
		add_pattern(&patterns, name);
		sum += seconds;
		count++;
	}
	if (sum >= SHARE_LEAST * libraries->all && count > 0) {
		textbuf_format(
			&text,
			"%s %.0f %% of the CPU time was in libraries none of whose "
			"functions were recorded (%s); `kymo instrument -MI '%s' -- %s` records "
			"these, too.",
			libraries->by, 100 * sum / libraries->all, advice_text_of(&names),
			advice_text_of(&patterns), command_of(libraries->recording, command));
		advice->libraries = textbuf_take(&text);
		advice->libraries_s = sum;
	}
	textbuf_release(&names);
	textbuf_release(&patterns);
	textbuf_release(&text);
}

static size_t name_present(const struct recording *recording, struct textbuf *names)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->module_count; i++) {
		const char *name = advice_file_name(recording, i);

		if (library_is_of_system(name) || !strstr(name, ".so") ||
		    !advice_is_candidate(recording, i))
			continue;
		if (count < NAMED_MOST)
			textbuf_format(names, "%s%s", count ? ", " : "", name);
		count++;
	}
	if (count > NAMED_MOST)
		textbuf_format(names, " and %zu more", count - NAMED_MOST);
	return count;
}

/* The function with most of the time as self time although it is seldom called; NULL = none. */
static const struct flat_entry *find_shell(const struct flat_view *view)
{
	for (size_t i = 0; i < view->count; i++) {
		const struct flat_entry *entry = &view->entries[i];
		uint32_t kind = view->regions->regions[entry->region]->kind;

		if (entry->self_ns >= SHARE_LEAST * view->base.whole_ns &&
		    entry->calls <= CALLS_MOST &&
		    (kind == KYMO_REGION_NATIVE || kind == KYMO_REGION_ROOT ||
		     kind == KYMO_REGION_PROGRAM))
			return entry;
	}
	return NULL;
}

static void advise_present(struct library_advice *advice, const struct recording *recording,
			   const struct flat_view *view)
{
	const struct flat_entry *shell = find_shell(view);
	struct textbuf text = {0}, names = {0};
	char command[COMMAND_MOST + 1], name[96];

	if (shell && name_present(recording, &names) > 0) {
		region_name(view->regions->regions[shell->region], name, sizeof(name));
		textbuf_format(
			&text,
			"`%s` has %.0f %% of the time, with what it called in libraries none of "
			"whose functions were recorded (%s); `kymo instrument -S -- %s` shows "
			"which take it, `-MI REGEX` records their functions.",
			name, 100 * shell->self_ns / view->base.whole_ns, advice_text_of(&names),
			command_of(recording, command));
		advice->libraries = textbuf_take(&text);
		advice->region = shell->region;
		advice->libraries_s = shell->self_ns * 1e-9;
	}
	textbuf_release(&names);
	textbuf_release(&text);
}

static bool is_go(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct elfimage *image = file < 0 ? NULL : elfimage_open(file);
	struct elfimage_section section;
	bool is_found = image && elfimage_section(image, GO_TABLE, &section);

	elfimage_free(image);
	if (file >= 0)
		close(file);
	return is_found;
}

static void advise_go(struct library_advice *advice, const struct recording *recording)
{
	struct textbuf text = {0};
	char command[COMMAND_MOST + 1];

	if (!is_go(executable_of(recording)))
		return;
	textbuf_format(
		&text,
		"`%s` is written in Go, whose functions are left out: they have no unwind tables "
		"and move their stacks; `kymo sample -- %s` shows them.",
		path_base_name(executable_of(recording)), command_of(recording, command));
	advice->go = textbuf_take(&text);
	textbuf_release(&text);
}

/* The first process whose functions were recorded; of programs that replaced each other by exec the
 * one that the survey saw most.  tree_count = there is none. */
static size_t advice_choose(const struct loaded_run *loaded)
{
	size_t chosen = loaded->tree_count;
	uint64_t most_ns = 0;

	for (size_t i = loaded->tree_count; i-- > 0;) {
		const struct recording *recording = loaded->trees[i]->recording;

		if (recording->functions && recording->header.survey.all_ns >= most_ns) {
			most_ns = recording->header.survey.all_ns;
			chosen = i;
		}
	}
	return chosen;
}

bool library_advice_init(struct library_advice *advice, const struct loaded_run *loaded,
			 const struct flat_view *view)
{
	struct libraries libraries = {0};
	size_t tree = advice_choose(loaded);

	*advice = (struct library_advice){.region = FINDING_NO_REGION};
	if (tree == loaded->tree_count)
		return true;
	libraries.recording = loaded->trees[tree]->recording;
	if (!advice_weigh(&libraries, loaded_samples(loaded, tree))) {
		free(libraries.weights);
		return false;
	}
	if (libraries.all > 0)
		advise_measured(advice, &libraries);
	else
		advise_present(advice, libraries.recording, view);
	advise_go(advice, libraries.recording);
	free(libraries.weights);
	return true;
}

void library_advice_release(struct library_advice *advice)
{
	free(advice->libraries);
	free(advice->go);
}
