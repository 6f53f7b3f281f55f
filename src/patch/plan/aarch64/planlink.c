/* Distances in instructions of AArch64, filled in when all is placed. */
#include "patch/plan/aarch64/planlink.h"

#include <string.h>

static bool fits(int64_t value, unsigned bits)
{
	int64_t limit = INT64_C(1) << (bits - 1);

	return value >= -limit && value < limit;
}

static uint32_t page_bits(int64_t pages)
{
	return ((uint32_t)pages & 3) << 29 | ((uint32_t)(pages >> 2) & 0x7ffff) << 5;
}

bool armlink_set(const struct plan_link *link, uint8_t *place, uint64_t address, uint64_t target)
{
	int64_t distance = (int64_t)(target - address);
	uint32_t word;

	memcpy(&word, place, sizeof(word));
	switch ((enum plan_form)link->form) {
	case PLAN_FORM_JUMP:
		if (distance % 4 != 0 || !fits(distance / 4, 26))
			return false;
		word |= (uint32_t)(distance / 4) & 0x3ffffff;
		break;
	case PLAN_FORM_NEAR:
		if (distance % 4 != 0 || !fits(distance / 4, 19))
			return false;
		word |= ((uint32_t)(distance / 4) & 0x7ffff) << 5;
		break;
	case PLAN_FORM_PAGE:
		/* Addresses count modulo 2^64. */
		distance = (int64_t)((target & ~UINT64_C(0xfff)) - (address & ~UINT64_C(0xfff))) /
			   4096;
		if (!fits(distance, 21))
			return false;
		word |= page_bits(distance);
		break;
	case PLAN_FORM_LOW:
		word |= ((uint32_t)target & 0xfff) << 10;
		break;
	case PLAN_FORM_DISTANCE:
		return false;
	}
	memcpy(place, &word, sizeof(word));
	return true;
}

bool armlink_jump(uint64_t at, uint64_t target, uint8_t *bytes)
{
	const struct plan_link link = {.form = PLAN_FORM_JUMP};

	memcpy(bytes, &(uint32_t){0x14000000}, 4);
	return armlink_set(&link, bytes, at, target);
}
