/* MD5 according to RFC 1321.  The constants are floor(2^32 * |sin(i + 1)|).  Blocks are read
 * directly from the input; only the last one or two, which contain the padding, are copied. */
#include "base/md5.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_SIZE 64u

static const uint32_t sines[64] = {
	0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
	0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
	0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
	0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
	0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
	0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
	0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
	0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
	0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
	0xeb86d391,
};

static const uint8_t shifts[4][4] = {
	{7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t load_word(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void add_block(uint32_t state[4], const uint8_t *block)
{
	uint32_t a = state[0], b = state[1], c = state[2], d = state[3], mix, word;
	unsigned int step, shift;

	for (step = 0; step < 64; step++) {
		switch (step / 16) {
		case 0:
			mix = (b & c) | (~b & d);
			word = step;
			break;
		case 1:
			mix = (d & b) | (~d & c);
			word = 5 * step + 1;
			break;
		case 2:
			mix = b ^ c ^ d;
			word = 3 * step + 5;
			break;
		default:
			mix = c ^ (b | ~d);
			word = 7 * step;
			break;
		}
		mix += a + sines[step] + load_word(block + 4 * (word % 16));
		shift = shifts[step / 16][step % 4];
		a = d;
		d = c;
		c = b;
		b += mix << shift | mix >> (32 - shift);
	}
	state[0] += a;
	state[1] += b;
	state[2] += c;
	state[3] += d;
}

void md5_text(const void *bytes, size_t length, char text[MD5_TEXT_SIZE])
{
	uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
	uint8_t last[2 * BLOCK_SIZE] = {0};
	const uint8_t *input = bytes;
	size_t rest = length % BLOCK_SIZE, offset, last_size, i;
	uint64_t bits = (uint64_t)length * 8;

	for (offset = 0; offset + BLOCK_SIZE <= length; offset += BLOCK_SIZE)
		add_block(state, input + offset);
	if (rest > 0)
		memcpy(last, input + offset, rest);
	last[rest] = 0x80;
	last_size = rest + 9 > BLOCK_SIZE ? 2 * BLOCK_SIZE : BLOCK_SIZE;
	for (i = 0; i < 8; i++)
		last[last_size - 8 + i] = (uint8_t)(bits >> (8 * i));
	for (offset = 0; offset < last_size; offset += BLOCK_SIZE)
		add_block(state, last + offset);
	for (i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x",
			 (unsigned int)(state[i / 4] >> (8 * (i % 4))) & 0xffu);
}
