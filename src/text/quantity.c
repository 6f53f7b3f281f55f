/* Numbers for people: few digits, a suitable unit, groups of three.
 *
 * Measurements of programs justify three significant digits. */
#include "text/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits of a value below 1000; rounding may reach "1000". */
static void format_digits(double value, const char *unit, char buffer[QUANTITY_MAX])
{
	int decimals = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;

	snprintf(buffer, QUANTITY_MAX, "%.*f %s", decimals, value, unit);
}

const char *quantity_duration(double seconds, char buffer[QUANTITY_MAX])
{
	double size = fabs(seconds);

	if (!isfinite(seconds))
		snprintf(buffer, QUANTITY_MAX, "?");
	else if (size < 0.5e-9)
		snprintf(buffer, QUANTITY_MAX, "0 s");
	else if (size < 999.5e-9)
		snprintf(buffer, QUANTITY_MAX, "%.0f ns", seconds * 1e9);
	else if (size < 999.5e-6)
		format_digits(seconds * 1e6, "us", buffer);
	else if (size < 999.5e-3)
		format_digits(seconds * 1e3, "ms", buffer);
	else if (size < 9.9995)
		snprintf(buffer, QUANTITY_MAX, "%.3f s", seconds);
	else if (size < 99.995)
		snprintf(buffer, QUANTITY_MAX, "%.2f s", seconds);
	else
		snprintf(buffer, QUANTITY_MAX, "%.1f s", seconds);
	return buffer;
}

/* A value that is exact to the digit of last, a power of ten: its decimals in a unit. */
static const char *format_sure(double value, double last, const char *unit,
			       char buffer[QUANTITY_MAX])
{
	int decimals = last < 0.5 ? (int)lround(-log10(last)) : 0;

	snprintf(buffer, QUANTITY_MAX, "%.*f %s", decimals, value, unit);
	return buffer;
}

const char *quantity_duration_sure(double seconds, double error, char buffer[QUANTITY_MAX])
{
	double size = fabs(seconds), last, rounded;

	if (!isfinite(seconds) || !(error > 0) || !isfinite(error) || size < 0.5e-9)
		return quantity_duration(seconds, buffer);
	last = pow(10, floor(log10(fmax(fmin(error, size), 1e-9)) + 1e-9));
	if (last < size * 2e-3) /* all usual digits are significant */
		return quantity_duration(seconds, buffer);
	rounded = round(seconds / last) * last;
	size = fabs(rounded);
	if (size < 999.5e-9)
		return format_sure(rounded * 1e9, last * 1e9, "ns", buffer);
	if (size < 999.5e-6)
		return format_sure(rounded * 1e6, last * 1e6, "us", buffer);
	if (size < 999.5e-3)
		return format_sure(rounded * 1e3, last * 1e3, "ms", buffer);
	return format_sure(rounded, last, "s", buffer);
}

const char *quantity_count(uint64_t count, char buffer[QUANTITY_MAX])
{
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)count);
	char *out = buffer;

	for (size_t i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*out++ = ',';
		*out++ = digits[i];
	}
	*out = '\0';
	return buffer;
}

const char *quantity_bytes(double bytes, char buffer[QUANTITY_MAX])
{
	static const char *const units[] = {"kB", "MB", "GB", "TB", "PB"};
	double size = fabs(bytes) / 1e3;
	size_t unit = 0;

	if (fabs(bytes) < 999.5) {
		snprintf(buffer, QUANTITY_MAX, "%.0f bytes", bytes);
		return buffer;
	}
	while (size >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		size /= 1e3;
		unit++;
	}
	format_digits(bytes < 0 ? -size : size, units[unit], buffer);
	return buffer;
}

const char *quantity_percent(double percent, char buffer[QUANTITY_MAX])
{
	if (percent > 0 && percent < 0.05)
		snprintf(buffer, QUANTITY_MAX, "<0.1 %%");
	else
		snprintf(buffer, QUANTITY_MAX, "%.1f %%", percent);
	return buffer;
}
