/* Formats findings: sentences, names and percentages, and whose time is work. */
#include "model/findings/findings_builder.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/text/utf8.h"
#include "model/parts/runtime_code.h"
#include "text/cells.h"

#define NAME_COLUMNS 48

void finding_add(struct findings_builder *builder, struct finding about, const char *format, ...)
{
	struct finding *grown =
		array_grow(builder->items, &builder->capacity, builder->count + 1, sizeof(*grown));
	va_list arguments;
	int length;

	if (!grown) {
		builder->has_failed = true;
		return;
	}
	builder->items = grown;
	va_start(arguments, format);
	length = vasprintf(&about.text, format, arguments);
	va_end(arguments);
	if (length < 0)
		builder->has_failed = true;
	else
		grown[builder->count++] = about;
}

/* " of tides.py:12" after a name that many regions have: of a lambda, of a module's body. */
static void findings_add_place(const struct region *region, char *text, size_t size)
{
	char file[4 * NAME_COLUMNS];
	size_t length = strlen(text);

	if (region->kind != KYMO_REGION_PYTHON || region->name[0] != '<' || !region->file)
		return;
	utf8_clean(path_base_name(region->file), file, sizeof(file));
	file[cells_cut(file, NAME_COLUMNS / 2)] = '\0';
	if (strcmp(region->name, "<module>") == 0)
		snprintf(text + length, size - length, " of %s", file);
	else
		snprintf(text + length, size - length, " of %s:%u", file, region->line);
}

const char *finding_name(const struct findings_builder *builder, uint32_t region,
			 char text[FINDING_NAME_MAX])
{
	char name[4 * NAME_COLUMNS];
	size_t length;

	region_name(builder->regions->regions[region], name, sizeof(name));
	for (char *c = name; *c; c++)
		if (*c == '`')
			*c = '\'';
	length = cells_cut(name, NAME_COLUMNS);
	if (length > FINDING_NAME_MAX - 8)
		length = cells_cut(name, NAME_COLUMNS / 4);
	if (length > FINDING_NAME_MAX - 8) /* more combining characters than letters */
		length = utf8_offset(name, (FINDING_NAME_MAX - 8) / 4);
	snprintf(text, FINDING_NAME_MAX, "`%.*s%s`", (int)length, name, name[length] ? "..." : "");
	findings_add_place(builder->regions->regions[region], text, FINDING_NAME_MAX);
	return text;
}

const char *finding_percent(double part, double whole, char text[QUANTITY_MAX])
{
	double percent = whole > 0 ? 100 * part / whole : 0;

	snprintf(text, QUANTITY_MAX, percent < 0.95 ? "%.1f %%" : "%.0f %%", percent);
	return text;
}

bool finding_is_work(const struct region *region)
{
	static const char *const systems[] = {"libc.", "libc-", "libpthread", "ld-", "["};
	const char *module = path_base_name(region->module);

	if (region->kind == KYMO_REGION_PTHREAD || region->kind == KYMO_REGION_ROOT ||
	    region->kind == KYMO_REGION_PROGRAM || region->kind == KYMO_REGION_IO)
		return false;
	if (runtime_code_waits(runtime_code_of(region)))
		return false;
	if (region->kind != KYMO_REGION_NATIVE)
		return true;
	for (size_t i = 0; module && i < sizeof(systems) / sizeof(*systems); i++)
		if (strncmp(module, systems[i], strlen(systems[i])) == 0)
			return false;
	/* "futex (kernel)", "[waits for the GIL]", "0x7f5c2a": samples outside of any code. */
	return module || (*region->name != '[' && strncmp(region->name, "0x", 2) != 0 &&
			  !strstr(region->name, " (kernel)"));
}
