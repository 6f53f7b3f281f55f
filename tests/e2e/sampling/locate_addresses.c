/* For test_locations.py: what locations.h says of addresses of a file, read from standard
 * input as hexadecimal numbers.
 *
 *	locate_addresses FILE [build-id=X] [names] [lines] [debuginfod] < addresses
 *
 * Prints a line for each function: address, name, file, line, first line, flags. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/code/locations.h"

static void print_location(uint64_t address, const struct location *location)
{
	printf("%" PRIx64 "\t%s\t%s\t%" PRIu32 "\t%" PRIu32 "\t%s%s\n", address, location->function,
	       location->file ? location->file : "??", location->line, location->first_line,
	       location->is_inlined ? "i" : "", location->is_named ? "n" : "");
}

static void set_option(const char *text, struct module *module, struct locations_options *options)
{
	if (strncmp(text, "build-id=", 9) == 0)
		module->build_id = text + 9;
	else if (strcmp(text, "names") == 0)
		options->has_lines = options->has_inlines = false;
	else if (strcmp(text, "lines") == 0)
		options->has_inlines = false;
	else if (strcmp(text, "debuginfod") == 0)
		options->uses_debuginfod = true;
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "";
	struct module module = {.end = UINT64_MAX, .path = path, .name = path};
	struct recording recording = {.modules = &module, .module_count = 1};
	struct locations_options options = {.has_lines = true, .has_inlines = true};
	struct locations *locations;
	char *const *lines;
	uint64_t address;
	size_t count;

	for (int i = 2; i < argc; i++)
		set_option(argv[i], &module, &options);
	locations = locations_new(&recording, &options);
	if (!locations)
		return 1;
	while (scanf("%" SCNx64, &address) == 1) {
		const struct location *items;

		count = locations_find(locations, address, &items, NULL);
		for (size_t i = 0; i < count; i++)
			print_location(address, &items[i]);
	}
	count = locations_problems(locations, &lines);
	for (size_t i = 0; i < count; i++)
		fprintf(stderr, "%s\n", lines[i]);
	locations_free(locations);
	return 0;
}
