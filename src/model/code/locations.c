/* Locations of addresses: the module, the entry of its debug information or else its symbols, and
 * names made up for the rest.  Every address is resolved once. */
#include "model/code/locations.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/hashset.h"
#include "model/code/cython_lines.h"
#include "object/debug/debug_info.h"

#define INLINED_MAX 128 /* functions at one address */
#define UNKNOWN	    "[unknown]"
#define NAME_BYTES  4096

#define CYTHON_PREFIX "__pyx_" /* in debug information, as C linkage names */

/* Where the kernel emulates three obsolete system calls; no file, no module.  Frames keep 62 bits
 * of an address. */
#define VSYSCALL_START UINT64_C(0x3fffffffff600000)
#define VSYSCALL_SIZE  4096u
#define VSYSCALL_STEP  1024u
#define ADDRESS_MASK   (UINT64_MAX >> 2)

struct answer { /* of one address */
	uint64_t address;
	const struct module *module;
	const struct location *items;
	size_t count;
};

struct source { /* one module's file, of one build */
	const struct module *module;
	struct debug_info *info; /* NULL = not available */
};

struct locations {
	const struct recording *recording;
	struct locations_options options;
	struct symbols *symbols;
	struct cython_lines *cython;
	struct source *sources;
	size_t source_count, source_capacity;
	size_t *source_of; /* by module: index of its source + 1; 0 = not opened yet */
	struct answer *answers;
	size_t answer_count, answer_capacity;
	struct hashset index; /* answers by address */
	struct hashset name_index;
	char **names; /* composed ones */
	size_t name_count;
	char **problems;
	size_t problem_count;
	struct location unknown;
};

struct locations *locations_new(const struct recording *recording,
				const struct locations_options *options)
{
	struct locations *locations = calloc(1, sizeof(*locations));

	if (!locations)
		return NULL;
	locations->recording = recording;
	locations->options = *options;
	locations->symbols = symbols_new();
	locations->cython = cython_lines_new();
	locations->source_of = calloc(recording->module_count + 1, sizeof(size_t));
	locations->unknown.function = UNKNOWN;
	if (!locations->symbols || !locations->cython || !locations->source_of) {
		locations_free(locations);
		return NULL;
	}
	if (options->uses_debuginfod)
		symbols_use_debuginfod(locations->symbols);
	return locations;
}

void locations_free(struct locations *locations)
{
	if (!locations)
		return;
	for (size_t i = 0; i < locations->answer_count; i++)
		if (locations->answers[i].items != &locations->unknown)
			free((void *)locations->answers[i].items);
	for (size_t i = 0; i < locations->source_count; i++)
		debug_info_close(locations->sources[i].info);
	free(locations->answers);
	free(locations->sources);
	free(locations->source_of);
	lines_free(locations->names, locations->name_count);
	lines_free(locations->problems, locations->problem_count);
	hashset_release(&locations->index);
	hashset_release(&locations->name_index);
	cython_lines_free(locations->cython);
	symbols_free(locations->symbols);
	free(locations);
}

size_t locations_problems(const struct locations *locations, char *const **lines_out)
{
	*lines_out = locations->problems;
	return locations->problem_count;
}

struct name_key {
	const struct locations *locations;
	const char *text;
};

static bool locations_name_match(uint64_t value, const void *data)
{
	const struct name_key *key = data;

	return strcmp(key->locations->names[value - 1], key->text) == 0;
}

/* One copy of each name: many addresses share it. */
static const char *locations_keep_name(struct locations *locations, const char *text)
{
	struct name_key key = {locations, text};
	uint64_t hash = hash_word(hash_bytes(HASH_SEED, text, strlen(text)));
	uint64_t found = hashset_find(&locations->name_index, hash, locations_name_match, &key);

	if (found)
		return locations->names[found - 1];
	if (!lines_add(&locations->names, &locations->name_count, "%s", text))
		return UNKNOWN;
	/* If this fails, the name is only stored twice. */
	hashset_insert(&locations->name_index, hash, locations->name_count);
	return locations->names[locations->name_count - 1];
}

static const char *place_name(struct locations *locations, const char *module, uint64_t offset)
{
	char text[NAME_BYTES];

	snprintf(text, sizeof(text), "%s+0x%" PRIx64, module, offset);
	return locations_keep_name(locations, text);
}

static bool locations_is_same_file(const struct module *left, const struct module *right)
{
	const char *a = left->build_id, *b = right->build_id;

	return strcmp(left->path, right->path) == 0 && (a && b ? strcmp(a, b) == 0 : a == b);
}

static void locations_report_obstacle(struct locations *locations, const struct module *module,
				      enum debug_obstacle obstacle)
{
	static const char *const reasons[] = {
		[DEBUG_FILE_MISSING] = "can no longer be read",
		[DEBUG_FILE_CHANGED] = "was changed since",
		[DEBUG_FILE_FOREIGN] = "is no longer a program or library",
	};

	if (obstacle != DEBUG_FILE_READ)
		lines_add(&locations->problems, &locations->problem_count,
			  "functions have no names: '%s' %s", module->path, reasons[obstacle]);
}

/* Index of the module's source, made at its first address; SIZE_MAX = no memory. */
static size_t open_source(struct locations *locations, const struct module *module)
{
	struct debug_request request = {
		.path = module->path,
		.build_id = module->build_id,
		.has_functions = locations->options.has_lines || locations->options.has_inlines,
		.uses_debuginfod = locations->options.uses_debuginfod,
	};
	enum debug_obstacle obstacle;
	struct source *sources;

	for (size_t i = 0; i < locations->source_count; i++)
		if (locations_is_same_file(locations->sources[i].module, module))
			return i;
	sources = array_grow(locations->sources, &locations->source_capacity,
			     locations->source_count + 1, sizeof(*sources));
	if (!sources)
		return SIZE_MAX;
	locations->sources = sources;
	sources[locations->source_count] = (struct source){
		.module = module,
		.info = debug_info_open(&request, &obstacle),
	};
	if (!sources[locations->source_count].info)
		locations_report_obstacle(locations, module, obstacle);
	return locations->source_count++;
}

static struct debug_info *info_of(struct locations *locations, const struct module *module)
{
	size_t *place = &locations->source_of[module - locations->recording->modules];

	if (*place == 0)
		*place = open_source(locations, module) + 1;
	return *place ? locations->sources[*place - 1].info : NULL;
}

/* By the symbol that covers it, else by the address of its function. */
static void name_by_symbol(struct locations *locations, const struct module *module,
			   uint64_t address, struct location *out)
{
	uint64_t offset, start, value = address - module->bias;

	out->is_named = symbols_find(locations->symbols, module, SYMBOL_FUNCTION, address,
				     &out->function, &offset);
	if (out->is_named)
		return;
	if (!debug_info_start(info_of(locations, module), value, &start))
		start = value;
	out->function = place_name(locations, path_shown_name(module->name), start);
}

static const char *source_name(struct locations *locations, const struct module *module,
			       const struct debug_function *function)
{
	const char *name = function->linkage_name, *readable;

	if (name) {
		readable = symbols_readable_in(locations->symbols, module->path, name);
		/* A linkage name that means nothing to users is worse than the source's. */
		if (strcmp(readable, name) != 0)
			return locations_keep_name(locations, readable);
	}
	if (!function->name)
		return name;
	if (strncmp(function->name, CYTHON_PREFIX, strlen(CYTHON_PREFIX)) != 0)
		return function->name;
	return symbols_readable_in(locations->symbols, module->path, function->name);
}

/* C++ functions with internal linkage may have no linkage name in the debug information: their
 * symbol has class and arguments. */
static const char *fuller_name(struct locations *locations, const struct module *module,
			       uint64_t address, const char *name)
{
	size_t length = strcspn(name, "<"); /* debug information formats templates differently */
	const char *symbol, *found;
	uint64_t offset;

	if (!symbols_find(locations->symbols, module, SYMBOL_FUNCTION, address, &symbol, &offset))
		return name;
	found = memmem(symbol, strlen(symbol), name, length);
	return found && (found == symbol || found[-1] == ':' || found[-1] == ' ') &&
			       (found[length] == '(' || found[length] == '<')
		       ? symbol
		       : name;
}

static void from_debug_info(struct locations *locations, const struct module *module,
			    uint64_t address, const struct debug_function *function,
			    struct location *out)
{
	const char *name = source_name(locations, module, function);

	*out = (struct location){
		.function = name,
		.file = function->file,
		.line = function->line,
		.first_line = function->first_line,
		.is_inlined = function->is_inlined,
		.is_named = name != NULL,
	};
	if (!name && !function->is_inlined)
		name_by_symbol(locations, module, address, out);
	else if (!name)
		out->function = UNKNOWN;
	else if (!function->linkage_name && !function->is_inlined)
		out->function = fuller_name(locations, module, address, name);
}

static struct location *find_in_module(struct locations *locations, const struct module *module,
				       uint64_t address, size_t *count_out)
{
	struct debug_info *info = info_of(locations, module);
	struct debug_function functions[INLINED_MAX];
	struct location *items;
	size_t first, count;

	/* Without symbols, only the debug information can have names. */
	if (!symbols_are_whole(locations->symbols, module))
		debug_info_enable_functions(info);
	count = debug_info_find(info, address - module->bias, functions, INLINED_MAX);
	count = cython_lines_apply(locations->cython, module->path, functions, count);
	first = count && !locations->options.has_inlines ? count - 1 : 0;
	items = calloc(count ? count - first : 1, sizeof(*items));
	*count_out = count ? count - first : 1;
	if (!items)
		return NULL;
	for (size_t i = first; i < count; i++)
		from_debug_info(locations, module, address, &functions[i], &items[i - first]);
	if (count == 0)
		name_by_symbol(locations, module, address, items);
	return items;
}

static struct location *locations_find_outside(struct locations *locations, uint64_t address,
					       size_t *count_out)
{
	static const char *const calls[] = {"gettimeofday", "time", "getcpu"};
	uint64_t offset = (address & ADDRESS_MASK) - VSYSCALL_START;
	struct location *item;
	char name[64];

	if (offset >= VSYSCALL_SIZE)
		return NULL;
	item = calloc(1, sizeof(*item));
	*count_out = 1;
	if (!item)
		return NULL;
	item->is_named = offset / VSYSCALL_STEP < sizeof(calls) / sizeof(*calls);
	if (item->is_named)
		snprintf(name, sizeof(name), "[vsyscall] %s", calls[offset / VSYSCALL_STEP]);
	item->function = item->is_named ? locations_keep_name(locations, name)
					: place_name(locations, "[vsyscall]", offset);
	return item;
}

struct answer_key {
	const struct locations *locations;
	uint64_t address;
};

static bool answer_match(uint64_t value, const void *data)
{
	const struct answer_key *key = data;

	return key->locations->answers[value - 1].address == key->address;
}

static struct answer locations_look_up(struct locations *locations, uint64_t address)
{
	struct answer answer = {
		.address = address,
		.module = symbols_module_at(locations->recording, address),
	};

	if (answer.module)
		answer.items = find_in_module(locations, answer.module, address, &answer.count);
	else
		answer.items = locations_find_outside(locations, address, &answer.count);
	if (!answer.items) {
		answer.items = &locations->unknown;
		answer.count = 1;
	}
	return answer;
}

/* NULL = no memory. */
static const struct answer *answer_new(struct locations *locations, uint64_t address, uint64_t hash)
{
	struct answer *answers = array_grow(locations->answers, &locations->answer_capacity,
					    locations->answer_count + 1, sizeof(*answers));

	if (!answers)
		return NULL;
	locations->answers = answers;
	if (!hashset_insert(&locations->index, hash, locations->answer_count + 1))
		return NULL;
	answers[locations->answer_count] = locations_look_up(locations, address);
	return &answers[locations->answer_count++];
}

size_t locations_find(struct locations *locations, uint64_t address, const struct location **out,
		      const struct module **module_out)
{
	struct answer_key key = {locations, address};
	uint64_t hash = hash_word(address);
	uint64_t found = hashset_find(&locations->index, hash, answer_match, &key);
	const struct answer *answer =
		found ? &locations->answers[found - 1] : answer_new(locations, address, hash);

	*out = answer ? answer->items : &locations->unknown;
	if (module_out)
		*module_out = answer ? answer->module : NULL;
	return answer ? answer->count : 1;
}
