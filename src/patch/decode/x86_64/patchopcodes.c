/* Intel's manual, volume 2, appendix A; AMD's, volume 3, for XOP: 64-bit mode. */
#include "patch/decode/x86_64/patchopcodes.h"

/* clang-format off */
const uint8_t patchopcodes_one[256] = {
	/* 0 1 2 3 4 5 6 7 8 9 a b c d e f */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 00 */
	M, M, M, M, B, Z, X, X, M, M, M, M, B, Z, X, X, /* 10 */
	M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X, /* 20 */
	M, M, M, M, B, Z, P, X, M, M, M, M, B, Z, P, X, /* 30 */
	P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, /* 40 */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, /* 50 */
	X, X, X, M, P, P, P, P, Z, M | Z, B, M | B, 0, 0, 0, 0, /* 60 */
	B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, /* 70 */
	M | B, M | Z, X, M | B, M, M, M, M, M, M, M, M, M, M, M, M, /* 80 */
	0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, 0, 0, 0, 0, 0, /* 90 */
	S, S, S, S, 0, 0, 0, 0, B, Z, 0, 0, 0, 0, 0, 0, /* a0 */
	B, B, B, B, B, B, B, B, S, S, S, S, S, S, S, S, /* b0 */
	M | B, M | B, W, 0, X, X, M | B, M | Z, W | B, 0, W, 0, 0, B, X, 0, /* c0 */
	M, M, M, M, X, X, X, 0, M, M, M, M, M, M, M, M, /* d0 */
	B, B, B, B, B, B, B, B, D, D, X, B, 0, 0, 0, 0, /* e0 */
	P, 0, P, P, 0, 0, M | S, M | S, 0, 0, 0, 0, 0, 0, M, M, /* f0 */
};

const uint8_t patchopcodes_two[256] = {
	M, M, M, M, X, 0, 0, 0, 0, 0, X, 0, X, M, 0, M | B, /* 00 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 10 */
	M, M, M, M, X, X, X, X, M, M, M, M, M, M, M, M, /* 20 */
	0, 0, 0, 0, 0, 0, X, 0, S, X, S, X, X, X, X, X, /* 30 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 40 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 50 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 60 */
	M | B, M | B, M | B, M | B, M, M, M, 0, M, M, M, M, M, M, M, M, /* 70 */
	D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, D, /* 80 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* 90 */
	0, 0, 0, M, M | B, M, M, M, 0, 0, 0, M, M | B, M, M, M, /* a0 */
	M, M, M, M, M, M, M, M, M, M, M | B, M, M, M, M, M, /* b0 */
	M, M, M | B, M, M | B, M | B, M | B, M, 0, 0, 0, 0, 0, 0, 0, 0, /* c0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* d0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* e0 */
	M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, /* f0 */
};
/* clang-format on */
