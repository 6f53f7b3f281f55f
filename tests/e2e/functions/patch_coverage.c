/* Says of each file named how many of its functions can be recorded, and why not the others.
 *
 *   patch_coverage FILE...       one line a file, and one for all of them
 *   patch_coverage -f FILE...    and one line a function: name, address, size, way, entry,
 *                                returns, jumps, loops to the entry, flags kept, reason
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchanalyse.h"

struct counts {
	uint64_t files, functions, entries, ways[5], reasons[PLAN_REASONS], entry_ways[8], bytes;
	double seconds;
};

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What no user would call a function: not counted. */
static bool is_none(const struct patch_function *function)
{
	switch (function->reason) {
	case PLAN_STARTS_THE_PROGRAM:
	case PLAN_STUB:
	case PLAN_PART:
		return true;
	default:
		return false;
	}
}

static void count(const struct patch_module *module, struct counts *counts)
{
	for (size_t i = 0; i < module->function_count; i++) {
		const struct patch_function *function = &module->functions[i];

		counts->bytes += function->size;
		counts->reasons[function->reason]++;
		if (is_none(function))
			continue;
		counts->functions++;
		counts->ways[function->way]++;
		counts->entries += function->way != PLAN_WAY_NONE;
		counts->entry_ways[function->entry.way]++;
	}
}

static void add(struct counts *all, const struct counts *one)
{
	uint64_t *to = &all->files;
	const uint64_t *from = &one->files;

	for (size_t i = 0; i < offsetof(struct counts, seconds) / sizeof(*to); i++)
		to[i] += from[i];
	all->seconds += one->seconds;
}

static const char *const reasons[] = {
	"fine",		"too-short",	 "branch-into-entry", "undecoded",
	"not-movable",	"no-frame-rule", "reads-return",      "start",
	"no-exit-room", "unknown-jumps", "instrumented",      "overlapping",
	"part",		"stub",		 "too-far",
};
_Static_assert(sizeof(reasons) / sizeof(reasons[0]) == PLAN_REASONS, "a word for each reason");

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void print(const char *name, const struct counts *counts)
{
	printf("%s: functions %" PRIu64 " entries %.2f%% exits %.2f%% calls %.2f%% "
	       "entries-only %.2f%% jump/padding/cave/hook %" PRIu64 "/%" PRIu64 "/%" PRIu64
	       "/%" PRIu64 " time %.1f ms %.2f us/function",
	       name, counts->functions, percent(counts->entries, counts->functions),
	       percent(counts->ways[PLAN_WAY_EXITS], counts->functions),
	       percent(counts->ways[PLAN_WAY_CALL], counts->functions),
	       percent(counts->ways[PLAN_WAY_ENTRIES], counts->functions), counts->entry_ways[1],
	       counts->entry_ways[2], counts->entry_ways[3], counts->entry_ways[4],
	       1e3 * counts->seconds,
	       counts->functions ? 1e6 * counts->seconds / (double)counts->functions : 0);
	for (int reason = 1; reason < PLAN_REASONS; reason++)
		if (counts->reasons[reason])
			printf(" %s %" PRIu64, reasons[reason], counts->reasons[reason]);
	printf("\n");
}

static void print_function(const struct patch_module *module, const struct patch_function *function)
{
	static const char *const ways[] = {"none", "exits", "call", "entries", "hook"};
	static const char *const entries[] = {"-", "jump", "padding", "cave", "hook"};
	unsigned kinds[PATCH_EXIT_OWN_ENTRY + 1] = {0}, flags = 0;

	for (uint32_t i = 0; i < function->exit_count; i++) {
		kinds[module->exits[function->first_exit + i].kind]++;
		flags += module->exits[function->first_exit + i].keeps_flags;
	}
	printf("%s\t%" PRIx64 "\t%" PRIu64 "\t%s\t%s\t%u\t%u\t%u\t%s%s\t%s\n",
	       *function->name ? function->name : "-", function->address, function->size,
	       ways[function->way], entries[function->entry.way], kinds[PATCH_EXIT_RETURN],
	       kinds[PATCH_EXIT_JUMP] + kinds[PATCH_EXIT_CONDITIONAL], kinds[PATCH_EXIT_OWN_ENTRY],
	       function->way && function->entry.keeps_flags ? "entry" : "-", flags ? "exits" : "",
	       reasons[function->reason]);
}

static void print_functions(const struct patch_module *module)
{
	for (size_t i = 0; i < module->function_count; i++)
		print_function(module, &module->functions[i]);
}

int main(int argc, char **argv)
{
	bool with_functions = argc > 1 && strcmp(argv[1], "-f") == 0;
	struct counts all = {0};

	for (int i = 1 + with_functions; i < argc; i++) {
		struct counts one = {.files = 1};
		struct patch_module *module;
		struct problem problem;
		double start = now();

		if (patchmodule_open(argv[i], &module, &problem) != KYMO_OK) {
			printf("%s\n", problem.text);
			continue;
		}
		if (patchanalyse(module, &problem) == KYMO_OK) {
			one.seconds = now() - start;
			count(module, &one);
			print(argv[i], &one);
			add(&all, &one);
			if (with_functions)
				print_functions(module);
		} else {
			printf("%s\n", problem.text);
		}
		patchmodule_close(module);
	}
	print("all", &all);
	return all.files ? 0 : 1;
}
