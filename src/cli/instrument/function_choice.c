/* Choosing among the functions of a plan, and the file in which the collector reads the choice. */
#include "cli/instrument/function_choice.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/outfile.h"
#include "base/partitionpoint.h"
#include "base/text/plaintext.h"
#include "cli/instrument/function_calls.h"
#include "cli/instrument/function_instructions.h"
#include "patch/plan/cache/plancache.h"
#include "patch/read/planreadpath.h"

#define LOOP_NAME_SIZE 32u /* ", loop at +0x…" */

static enum kymo_status choice_out_of_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

/* The function that contains a loop at address: the last one that begins before it. */
static size_t function_of_loop(const struct function_choice *choice, uint64_t address)
{
	const struct plan_function *functions = choice->plan.functions;
	size_t low = partition_point(choice->plan.header->function_count, i,
				     !(functions[i].flags & PLAN_FUNCTION_LOOP) &&
					     functions[i].address <= address);

	return low > 0 ? low - 1 : 0;
}

const char *function_choice_mangled(const struct function_choice *choice, size_t index)
{
	return choice->plan.names + choice->plan.functions[index].name;
}

/* For a loop, its function's name. */
static const char *own_name(const struct function_choice *choice, size_t index,
			    struct symbols *symbols, char buffer[FUNCTION_NAME_SIZE])
{
	const char *name = function_choice_mangled(choice, index), *readable;

	if (*name) {
		readable = symbols_readable(symbols, name);
		return readable ? readable : name;
	}
	snprintf(buffer, FUNCTION_NAME_SIZE, "%.255s+0x%llx", path_base_name(choice->path),
		 (unsigned long long)choice->plan.functions[index].address);
	return buffer;
}

const char *function_choice_name(const struct function_choice *choice, size_t index,
				 struct symbols *symbols, char buffer[FUNCTION_NAME_SIZE])
{
	const struct plan_function *loop = &choice->plan.functions[index];
	const char *name = own_name(choice, index, symbols, buffer);
	size_t function = function_of_loop(choice, loop->address), length = strlen(name);

	if (!(loop->flags & PLAN_FUNCTION_LOOP) || length + LOOP_NAME_SIZE > FUNCTION_NAME_SIZE)
		return name;
	memmove(buffer, name, length);
	snprintf(buffer + length, LOOP_NAME_SIZE, ", loop at +0x%llx",
		 (unsigned long long)(loop->address - choice->plan.functions[function].address));
	return buffer;
}

bool function_is_part(const struct plan_function *function)
{
	return function->reason == PLAN_PART || function->reason == PLAN_STUB;
}

static void function_choice_count(struct function_choice *choice, size_t index)
{
	const struct plan_function *function = &choice->plan.functions[index];
	struct function_counts *counts = &choice->counts;

	if (function_is_part(function) || (function->flags & PLAN_FUNCTION_LOOP))
		return;
	counts->found++;
	counts->possible += function->way != PLAN_WAY_NONE;
	if (choice->taken[index] != CHOICE_TAKEN)
		return;
	counts->taken++;
	counts->with_exits += function->way == PLAN_WAY_EXITS || function->way == PLAN_WAY_HOOK;
	counts->called += function->way == PLAN_WAY_CALL;
	counts->only_counted += function->way == PLAN_WAY_ENTRIES;
}

/* A loop is recorded with its function or not at all. */
static enum function_verdict judge_function_of(const struct function_choice *choice,
					       const struct plan_function *loop,
					       enum function_verdict verdict)
{
	enum function_verdict of_function =
		choice->verdicts[function_of_loop(choice, loop->address)];

	return function_verdict_takes(of_function) ? verdict : of_function;
}

static void choice_choose(struct function_choice *choice, const struct function_rules *rules,
			  struct symbols *symbols, const bool *calls, const bool *instructions)
{
	/* Demangling is slow: only if a rule needs it. */
	bool has_names = function_rules_want_names(rules);
	char buffer[FUNCTION_NAME_SIZE];

	for (size_t i = 0; i < choice->plan.header->function_count; i++) {
		const char *mangled = function_choice_mangled(choice, i);
		struct function_facts facts = {
			.name = has_names ? own_name(choice, i, symbols, buffer) : mangled,
			.mangled = mangled,
			.plan = &choice->plan.functions[i],
			.calls_callee = calls && calls[i],
			.has_instruction = instructions && instructions[i],
		};
		enum function_verdict verdict = choice->file_verdict;

		if (facts.plan->way == PLAN_WAY_NONE)
			verdict = FUNCTION_CANNOT;
		else if (verdict == FUNCTION_TAKEN)
			verdict = function_rules_judge(rules, &facts);
		if (function_verdict_takes(verdict) && facts.plan->flags & PLAN_FUNCTION_LOOP)
			verdict = judge_function_of(choice, facts.plan, verdict);
		choice->verdicts[i] = verdict;
		choice->taken[i] = function_verdict_takes(verdict) ? CHOICE_TAKEN : CHOICE_LEFT;
		function_choice_count(choice, i);
	}
}

/* Functions that a compiler derived from others may lack parameters. */
static bool has_own_signature(const struct plan_function *function, const char *mangled)
{
	return function->way != PLAN_WAY_HOOK && !strchr(mangled, '.');
}

static enum kymo_status choice_find_values(struct function_choice *choice,
					   const struct function_rules *rules,
					   struct symbols *symbols, struct problem *problem)
{
	size_t count = 0, functions = (size_t)choice->plan.header->function_count;
	struct function_wish *wishes = calloc(functions + 1, sizeof(*wishes));
	char buffer[FUNCTION_NAME_SIZE];
	enum kymo_status status;

	if (!wishes)
		return choice_out_of_memory(problem);
	for (size_t i = 0; i < functions; i++) {
		const struct plan_function *function = &choice->plan.functions[i];
		const char *mangled = function_choice_mangled(choice, i);
		struct function_facts facts = {.mangled = mangled, .plan = function};
		unsigned wants;

		if (choice->taken[i] != CHOICE_TAKEN || function->flags & PLAN_FUNCTION_LOOP)
			continue;
		facts.name = function_choice_name(choice, i, symbols, buffer);
		wants = function_rules_wants(rules, &facts);
		if (!wants)
			continue;
		wishes[count++] = (struct function_wish){(uint32_t)i, wants, strdup(facts.name),
							 function->address,
							 has_own_signature(function, mangled)};
	}
	status = function_values_make(choice->path, wishes, count, &choice->values, problem);
	for (size_t i = 0; i < count; i++)
		free(wishes[i].name);
	free(wishes);
	return status;
}

enum kymo_status function_choice_make(const char *path, bool is_program,
				      const struct function_rules *rules, struct symbols *symbols,
				      struct function_choice *out, struct problem *problem)
{
	struct function_choice choice = {.path = strdup(path)};
	enum kymo_status status;
	bool *calls = NULL, *instructions = NULL;
	size_t functions;

	if (!choice.path)
		return choice_out_of_memory(problem);
	choice.file_verdict = function_rules_judge_file(rules, path, is_program);
	status = plancache_get(path, function_rules_kind(rules), &choice.plan, &choice.plan_bytes,
			       &choice.plan_size, problem);
	if (status < 0) {
		free(choice.path);
		return status;
	}
	functions = (size_t)choice.plan.header->function_count;
	choice.verdicts = calloc(functions + 1, sizeof(*choice.verdicts));
	choice.taken = calloc(functions + 1, 1);
	if (!choice.verdicts || !choice.taken)
		status = choice_out_of_memory(problem);
	if (status == KYMO_OK && function_rules_want_calls(rules) &&
	    choice.file_verdict == FUNCTION_TAKEN)
		status = function_calls_find(path, &choice.plan, rules, symbols, &calls, problem);
	if (status == KYMO_OK && function_rules_want_instructions(rules) &&
	    choice.file_verdict == FUNCTION_TAKEN)
		status = function_instructions_find(path, &choice.plan, rules, &instructions,
						    problem);
	if (status == KYMO_OK) {
		choice_choose(&choice, rules, symbols, calls, instructions);
		if (function_rules_want_values(rules))
			status = choice_find_values(&choice, rules, symbols, problem);
	}
	if (status == KYMO_OK) {
		*out = choice;
	} else {
		function_choice_release(&choice);
	}
	free(calls);
	free(instructions);
	return status;
}

void function_choice_release(struct function_choice *choice)
{
	if (choice->plan_bytes)
		plancache_release(choice->plan_bytes, choice->plan_size);
	function_values_release(&choice->values);
	free(choice->verdicts);
	free(choice->taken);
	free(choice->path);
	*choice = (struct function_choice){0};
}

/* ".../BUILDID.COST-VARIANT.plan" is ".../BUILDID.KEY-VARIANT.choice". */
static bool function_choice_path(const struct function_choice *choice, const char *key, char *path,
				 size_t size)
{
	const struct plan_header *header = choice->plan.header;
	struct plan_kind kind = {(enum patch_cost)header->cost, header->variant};
	char *end;

	if (key[strspn(key, "0123456789abcdef")])
		return false;
	if (!plancache_path(header->build_id, header->build_id_size, header->identity, kind, path,
			    size))
		return false;
	for (int parts = 0; parts < 2; parts++) {
		end = strrchr(path, '.');
		if (!end || strchr(end, '/'))
			return false;
		*end = '\0';
	}
	end = path + strlen(path);
	return (size_t)snprintf(end, size - (size_t)(end - path), ".%s%s.choice", key,
				plancache_variant_suffix(kind.variant)) <
	       size - (size_t)(end - path);
}

/* At the next multiple of 8. */
static bool choice_write_values(const struct function_choice *choice, FILE *stream)
{
	static const char zeros[8];
	size_t rest = (size_t)-choice->plan.header->function_count % 8;

	return !choice->values.bytes || (fwrite(zeros, 1, rest, stream) == rest &&
					 fwrite(choice->values.bytes, 1, choice->values.size,
						stream) == choice->values.size);
}

static bool write_choice(const struct function_choice *choice, FILE *stream)
{
	struct choice_header header = {.version = PLAN_VERSION,
				       .count = (uint32_t)choice->plan.header->function_count,
				       .plan_checksum = choice->plan.header->checksum};

	memcpy(header.magic, CHOICE_MAGIC, sizeof(header.magic));
	return fwrite(&header, sizeof(header), 1, stream) == 1 &&
	       fwrite(choice->taken, 1, header.count, stream) == header.count &&
	       choice_write_values(choice, stream);
}

/* Printed when the choice is passed on. */
static void choice_print_missing(const struct function_choice *choice)
{
	if (choice->values.missing)
		plaintext_print(stderr, "kymo: %s\n", choice->values.missing);
}

enum kymo_status function_choice_write(const struct function_choice *choice, const char *key,
				       struct problem *problem)
{
	char path[PATH_MAX];
	struct outfile file;
	enum kymo_status status;

	if (!function_choice_path(choice, key, path, sizeof(path)))
		return problem_set(
			problem, KYMO_ERROR,
			"there is no folder for the selection '%s': XDG_CACHE_HOME or HOME "
			"has to name a folder",
			key);
	status = outfile_open_stream(&file, path, problem);
	if (status < 0)
		return status;
	if (!write_choice(choice, file.stream)) {
		problem_set(problem, KYMO_ERROR, "cannot write '%s': %s", path, strerror(errno));
		outfile_discard(&file);
		return KYMO_ERROR;
	}
	status = outfile_commit(&file, problem);
	if (status == KYMO_OK)
		choice_print_missing(choice);
	return status;
}

enum kymo_status function_choice_hand(const struct function_choice *choice, int fd,
				      struct problem *problem)
{
	int own = dup(fd);
	FILE *stream = own >= 0 ? fdopen(own, "w") : NULL;
	bool is_written = stream && write_choice(choice, stream);

	if (!stream && own >= 0)
		close(own);
	if (stream && fclose(stream) != 0)
		is_written = false;
	if (!is_written)
		return problem_set(problem, KYMO_ERROR, "cannot pass on the selection of '%s': %s",
				   choice->path, strerror(errno));
	choice_print_missing(choice);
	return KYMO_OK;
}
