/* A number and its unit. */
#include "cli/options/moment.h"

#include <string.h>

#include "base/text/scan.h"

#define NS_MAX 9e15 /* larger numbers are not exact in a page */

static const struct {
	const char *name;
	double ns;
} units[] = {
	{"", 1e9},   {"ns", 1.0}, {"us", 1e3},	 {"µs", 1e3},
	{"ms", 1e6}, {"s", 1e9},  {"min", 6e10}, {"h", 3.6e12},
};

enum kymo_status moment_parse(const char *option, const char *text, uint64_t *ns_out,
			      struct problem *problem)
{
	struct scan scan = scan_of(text, strlen(text));
	char unit[8] = "";
	double number;
	bool is_number = scan_real(&scan, &number) && number >= 0;

	if (is_number && !scan_is_done(&scan) && !scan_word(&scan, unit, sizeof(unit)))
		is_number = false;
	scan_blanks(&scan);
	for (size_t i = 0; is_number && scan_is_done(&scan) && i < sizeof(units) / sizeof(*units);
	     i++) {
		if (strcmp(unit, units[i].name) != 0)
			continue;
		if (number * units[i].ns > NS_MAX)
			return problem_set(problem, KYMO_USAGE, "%s %s: that is too long", option,
					   text);
		*ns_out = (uint64_t)(number * units[i].ns + 0.5);
		return KYMO_OK;
	}
	return problem_set(problem, KYMO_USAGE,
			   "%s takes a time such as 1.2s, 350ms or 40us, not '%s'", option, text);
}
