/* Puts a plan of a file into the cache in which every function that can be is called through,
 * also those whose returns could be patched: so that programs meet that way at each call.
 *
 *   plan_called_through FILE counts|coarse|full
 *
 * Tells how many functions have it, and what the plan's checksum is. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "patch/analyse/patchanalyse.h"
#include "patch/plan/planmake.h"
#include "patch/read/planreadpath.h"

static enum patch_cost cost_of(const char *name)
{
	return strcmp(name, "counts") == 0   ? PATCH_COST_COUNTS
	       : strcmp(name, "coarse") == 0 ? PATCH_COST_COARSE
					     : PATCH_COST_FULL;
}

static unsigned call_all(struct patch_module *module)
{
	unsigned count = 0;

	for (size_t i = 0; i < module->function_count; i++) {
		if (module->functions[i].way == PLAN_WAY_EXITS)
			module->functions[i].way = PLAN_WAY_CALL;
		count += module->functions[i].way == PLAN_WAY_CALL;
	}
	return count;
}

/* A file that only this user can write, or it is not taken. */
static int put(const char *path, const unsigned char *bytes, size_t size)
{
	FILE *file = fopen(path, "w");
	int result = !file || fwrite(bytes, 1, size, file) != size;

	if (file && fclose(file) != 0)
		result = 1;
	return result || chmod(path, 0600) != 0;
}

int main(int argc, char **argv)
{
	struct planmake_options options = {.kind = {PATCH_COST_FULL, 0}};
	struct problem problem = {""};
	struct patch_module *module;
	unsigned char *bytes;
	char path[4096];
	unsigned count;
	size_t size;
	int result;

	if (argc != 3)
		return 2;
	options.kind.cost = cost_of(argv[2]);
	if (patchmodule_open(argv[1], &module, &problem) != KYMO_OK ||
	    patchanalyse(module, &problem) != KYMO_OK) {
		fprintf(stderr, "%s\n", problem.text);
		return 1;
	}
	count = call_all(module);
	if (plan_make(module, &options, &bytes, &size, &problem) != KYMO_OK ||
	    !plancache_path(module->build_id, module->build_id_size, module->identity, options.kind,
			    path, sizeof(path))) {
		fprintf(stderr, "no plan: %s\n", problem.text);
		return 1;
	}
	result = put(path, bytes, size);
	printf("%u %llx\n", count,
	       (unsigned long long)((const struct plan_header *)bytes)->checksum);
	free(bytes);
	patchmodule_close(module);
	return result;
}
