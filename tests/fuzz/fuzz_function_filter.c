/* Any bytes as a filter file: refused in one line, or rules that judge names and have a hash. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/instrument/function_filter.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"main", "mesh::cut(int, double) const", "*", "a[b"};
	struct function_filter *filter = NULL, *again = NULL;
	struct problem problem = {""};

	if (function_filter_parse((const char *)data, size, "f", &filter, &problem) != KYMO_OK) {
		if (filter || problem.text[0] == '\0' || strchr(problem.text, '\n'))
			abort();
		return 0;
	}
	if (function_filter_parse((const char *)data, size, "g", &again, &problem) != KYMO_OK ||
	    function_filter_hash(filter) != function_filter_hash(again))
		abort();
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (function_filter_judge(filter, names[i], "_Zname") !=
		    function_filter_judge(again, names[i], "_Zname"))
			abort();
	function_filter_free(filter);
	function_filter_free(again);
	return 0;
}
