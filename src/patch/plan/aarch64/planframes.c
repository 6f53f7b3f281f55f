/* Frame descriptions of AArch64's trampolines.  All of their code runs with the stack as at an
 * entry: only their own pushes, and the location of x30, vary. */
#include "patch/plan/aarch64/planframes.h"

#include <string.h>

#include "object/unwind/cfi_opcodes.h"
#include "patch/plan/aarch64/planpieces.h"
#include "patch/plan/frames/cfi_emit.h"

#define DATA_ALIGNMENT 8u
#define STACK	       31u

const uint8_t armframes_common[] = {
	1, /* version */
	'z',
	'R',
	0,    /* augmentation */
	4,    /* alignment of code … */
	0x78, /* … and of data: -8 */
	ARM_LINK,
	1,
	0x1b, /* pcrel, sdata4 */
	DW_CFA_def_cfa,
	STACK,
	0,
};
const size_t armframes_common_size = sizeof(armframes_common);

struct shape {		 /* at a place */
	uint8_t pushed;	 /* bytes */
	uint8_t link_at; /* offset of x30 below the CFA; 0 = it is in its register */
	bool is_signed;
};

static struct shape shape_of(const struct plan_mark *mark)
{
	struct shape shape = {.is_signed = mark->address != 0};

	switch ((enum plan_rule)mark->rule) {
	case PLAN_RULE_PUSHED:
		shape.pushed = ARM_FRAME_BYTES;
		break;
	case PLAN_RULE_PUSHED_LINK:
		shape.pushed = ARM_FRAME_BYTES;
		shape.link_at = ARM_FRAME_BYTES - ARM_FRAME_LINK;
		break;
	case PLAN_RULE_JUMP:
		shape.pushed = shape.link_at = ARM_JUMP_BYTES;
		break;
	case PLAN_RULE_STEPPED:
		shape.pushed = ARM_JUMP_BYTES;
		break;
	default:
		break;
	}
	return shape;
}

static size_t armframes_emit_advance(uint8_t *out, uint32_t units)
{
	if (units == 0)
		return 0;
	if (units < 0x40) {
		out[0] = (uint8_t)(DW_CFA_advance_loc | units);
		return 1;
	}
	out[0] = DW_CFA_advance_loc4;
	memcpy(out + 1, &units, sizeof(units));
	return 5;
}

static size_t cfi_emit_change(uint8_t *out, const struct shape *from, const struct shape *to)
{
	size_t size = 0;

	if (from->pushed != to->pushed) {
		out[size++] = DW_CFA_def_cfa_offset;
		out[size++] = to->pushed;
	}
	if (from->link_at != to->link_at) {
		out[size++] = to->link_at ? DW_CFA_offset | ARM_LINK : DW_CFA_restore | ARM_LINK;
		if (to->link_at)
			out[size++] = to->link_at / DATA_ALIGNMENT;
	}
	if (from->is_signed != to->is_signed)
		out[size++] = DW_CFA_AARCH64_negate_ra_state;
	return size;
}

bool armframes_emit(struct plan_stretch *frames, const struct plan_mark *marks, size_t count,
		    uint32_t first)
{
	struct shape said = {0};
	uint32_t at = first;

	for (size_t i = 0; i < count; i++) {
		struct shape next = shape_of(&marks[i]);
		uint8_t advance[8], change[8];
		size_t size;

		if (i + 1 < count && marks[i + 1].at == marks[i].at)
			continue; /* the later one applies */
		size = cfi_emit_change(change, &said, &next);
		if (size == 0)
			continue;
		if (!cfi_emit_bytes(frames, advance,
				    armframes_emit_advance(advance, (marks[i].at - at) / 4)) ||
		    !cfi_emit_bytes(frames, change, size))
			return false;
		at = marks[i].at;
		said = next;
	}
	return true;
}
