/* Writer of CPython's marshal format: a type byte, then little-endian content.  Integers
 * beyond 32 bits are 15-bit digits, as CPython's Python/marshal.c documents. */
#include "export/formats/marshal.h"

#include <stdbool.h>
#include <string.h>

#include "base/text/utf8.h"

static unsigned char *put_u32(unsigned char *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		*out++ = (unsigned char)(value >> 8 * i);
	return out;
}

void marshal_dict_begin(struct export_sink *sink)
{
	sink_byte(sink, '{');
}

void marshal_dict_end(struct export_sink *sink)
{
	sink_byte(sink, '0');
}

void marshal_tuple(struct export_sink *sink, uint32_t count)
{
	unsigned char *out = sink_reserve(sink, 5);

	*out++ = '(';
	sink_fill(sink, put_u32(out, count));
}

static unsigned char *put_long(unsigned char *out, int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	unsigned char *count_at = out;
	uint32_t count = 0;

	out += 4;
	for (; rest > 0; rest >>= 15, count++) {
		*out++ = (unsigned char)rest;
		*out++ = (unsigned char)(rest >> 8 & 0x7f);
	}
	put_u32(count_at, value < 0 ? -count : count);
	return out;
}

void marshal_integer(struct export_sink *sink, int64_t value)
{
	unsigned char *out = sink_reserve(sink, 16);

	if (value >= INT32_MIN && value <= INT32_MAX) {
		*out++ = 'i';
		sink_fill(sink, put_u32(out, (uint32_t)value));
		return;
	}
	*out++ = 'l';
	sink_fill(sink, put_long(out, value));
}

void marshal_float(struct export_sink *sink, double value)
{
	unsigned char *out = sink_reserve(sink, 9);
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	*out++ = 'g';
	out = put_u32(out, (uint32_t)bits);
	sink_fill(sink, put_u32(out, (uint32_t)(bits >> 32)));
}

/* CPython's "surrogatepass": a surrogate encoded as three bytes. */
static bool is_surrogate(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;

	return byte[0] == 0xed && byte[1] >= 0xa0 && byte[1] <= 0xbf && (byte[2] & 0xc0) == 0x80;
}

void marshal_text(struct export_sink *sink, const char *text)
{
	unsigned char *out = sink_reserve(sink, SINK_RESERVE_MAX), *length_at = out + 1;
	unsigned char *end = out + SINK_RESERVE_MAX - 4;

	*out = 'u';
	out += 5;
	while (*text && out < end) {
		size_t step = is_surrogate(text) ? 3 : utf8_step(text);

		memcpy(out, step ? text : "?", step ? step : 1);
		out += step ? step : 1;
		text += step ? step : 1;
	}
	put_u32(length_at, (uint32_t)(out - length_at - 4));
	sink_fill(sink, out);
}
