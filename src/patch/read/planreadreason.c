/* Why a function is not recorded, in words. */
#include "patch/read/planreadreason.h"

static const char *const texts[PLAN_REASONS] = {
	[PLAN_FINE] = "",
	[PLAN_TOO_SHORT] = "too short for a jump, and no padding after it",
	[PLAN_BRANCH_INTO_ENTRY] = "something jumps into its first bytes",
	[PLAN_UNDECODED] = "its code cannot be decoded",
	[PLAN_NOT_MOVABLE] = "instructions that a jump would displace cannot be relocated",
	[PLAN_NO_FRAME_RULE] = "no unwind table covers it from its first byte on",
	[PLAN_READS_RETURN] = "it reads its own return address",
	[PLAN_STARTS_THE_PROGRAM] = "it starts the program or belongs to the loader",
	[PLAN_NO_EXIT_SPACE] = "no space for a jump at one of its returns",
	[PLAN_UNKNOWN_JUMPS] = "it jumps to places that are not known",
	[PLAN_INSTRUMENTED] = "its compiler has put a hook of another profiler into it",
	[PLAN_OVERLAPPING] = "it shares its bytes with another function",
	[PLAN_PART] = "it is a part of another function",
	[PLAN_STUB] = "it is a stub of the loader",
	[PLAN_TOO_FAR] = "a jump does not reach from it to free memory",
};

const char *plan_reason_text(enum plan_reason reason)
{
	return (unsigned)reason < PLAN_REASONS && texts[reason] ? texts[reason] : "unknown";
}
