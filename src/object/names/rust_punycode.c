/* Decoding by RFC 3492, section 6.2: the position and code of each inserted character are one
 * variable-length number. */
#include "object/names/rust_punycode.h"

#include <stdint.h>
#include <string.h>

#include "base/text/textbuf.h"

#define CHARACTERS_MAX 256u
#define BASE	       36u
#define T_LEAST	       1u
#define T_MOST	       26u
#define SKEW	       38u
#define DAMP	       700u
#define FIRST_BIAS     72u
#define FIRST_CODE     128u

struct decoder {
	uint32_t characters[CHARACTERS_MAX];
	uint32_t count;
	uint32_t bias;
	bool is_first;
};

static int punycode_digit_of(char byte)
{
	if (byte >= 'a' && byte <= 'z')
		return byte - 'a';
	return byte >= '0' && byte <= '9' ? byte - '0' + 26 : -1;
}

static uint32_t next_bias(uint32_t delta, uint32_t count, bool is_first)
{
	uint32_t steps = 0;

	delta /= is_first ? DAMP : 2;
	delta += delta / count;
	for (; delta > (BASE - T_LEAST) * T_MOST / 2; steps += BASE)
		delta /= BASE - T_LEAST;
	return steps + (BASE - T_LEAST + 1) * delta / (delta + SKEW);
}

/* The number at *at; false: there is none. */
static bool read_delta(const struct decoder *decoder, const char **at, const char *end,
		       uint32_t *delta_out)
{
	uint32_t weight = 1, delta = 0;

	for (uint32_t k = BASE; *at < end; k += BASE) {
		int digit = punycode_digit_of(*(*at)++);
		uint32_t t = k <= decoder->bias		   ? T_LEAST
			     : k >= decoder->bias + T_MOST ? T_MOST
							   : k - decoder->bias,
			 more;

		if (digit < 0 || __builtin_mul_overflow((uint32_t)digit, weight, &more) ||
		    __builtin_add_overflow(delta, more, &delta))
			return false;
		if ((uint32_t)digit < t) {
			*delta_out = delta;
			return true;
		}
		if (__builtin_mul_overflow(weight, BASE - t, &weight))
			return false;
	}
	return false;
}

static void punycode_insert(struct decoder *decoder, uint32_t place, uint32_t code)
{
	memmove(&decoder->characters[place + 1], &decoder->characters[place],
		(decoder->count - place) * sizeof(*decoder->characters));
	decoder->characters[place] = code;
	decoder->count++;
}

static bool punycode_decode(struct decoder *decoder, const char *at, const char *end)
{
	uint32_t code = FIRST_CODE, place = 0, delta;

	while (at < end) {
		uint32_t count = decoder->count + 1;

		if (count > CHARACTERS_MAX || !read_delta(decoder, &at, end, &delta) ||
		    __builtin_add_overflow(place, delta, &place) ||
		    __builtin_add_overflow(code, place / count, &code))
			return false;
		decoder->bias = next_bias(delta, count, decoder->is_first);
		decoder->is_first = false;
		place %= count;
		punycode_insert(decoder, place++, code);
	}
	return true;
}

bool rust_put_punycode(const char *text, size_t size, struct textbuf *out)
{
	struct decoder decoder = {.bias = FIRST_BIAS, .is_first = true};
	const char *mark = memrchr(text, '_', size), *end = text + size;

	if (mark) {
		if ((size_t)(mark - text) > CHARACTERS_MAX)
			return false;
		for (; text < mark; text++)
			decoder.characters[decoder.count++] = (unsigned char)*text;
		text = mark + 1;
	}
	if (!punycode_decode(&decoder, text, end))
		return false;
	for (uint32_t i = 0; i < decoder.count; i++) {
		if (!rust_put_code(decoder.characters[i], out))
			return false;
	}
	return true;
}

bool rust_put_code(uint32_t code, struct textbuf *out)
{
	if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
		return false;
	if (code < 0x80) {
		textbuf_char(out, (char)code);
		return true;
	}
	if (code >= 0x10000)
		textbuf_char(out, (char)(0xf0 | code >> 18));
	if (code >= 0x800)
		textbuf_char(out, (char)((code >= 0x10000 ? 0x80 : 0xe0) | (code >> 12 & 0x3f)));
	textbuf_char(out, (char)((code >= 0x800 ? 0x80 : 0xc0) | (code >> 6 & 0x3f)));
	textbuf_char(out, (char)(0x80 | (code & 0x3f)));
	return true;
}
