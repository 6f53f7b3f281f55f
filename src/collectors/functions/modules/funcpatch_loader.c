/* Libraries that are loaded later, and those that are unloaded.
 *
 * The loader calls an empty function whenever its list of modules changes, as a breakpoint for
 * debuggers; a library that was loaded is mapped then, but neither relocated nor initialised,
 * and no thread runs in it.  The empty function is replaced by a jump.  Serves funcpatch.h. */
#include "collectors/functions/funcpatch.h"

#include <link.h>
#include <string.h>

#include "base/keeperrno.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_modules.h"
#include "collectors/functions/records/funcpatch_marked.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/code/codepages.h"
#include "patch/apply/patchapply_texts.h"

#define OPCODE_JUMP 0xe9u
#define JUMP_BYTES  5u

static void on_change(void)
{
	struct patch_thread_state *hot = &funcpatch_thread_state;
	uint64_t state = hot->state;
	KEEP_ERRNO();
	bool was_open;

	if (_r_debug.r_state != RT_CONSISTENT)
		return;
	hot->state = PATCH_STATE_INSIDE;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	was_open = funcpatch_marked_close(hot);
	funcpatch_shadow_check_libraries();
	if (funcpatch_settings.has_later)
		funcpatch_modules_scan();
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED))
		funcpatch_loaded();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (was_open)
		funcpatch_marked_open(hot);
	hot->state = state;
}

/* A return, followed by enough bytes that nothing jumps to. */
static bool is_empty(const unsigned char *code)
{
	static const unsigned char known[][JUMP_BYTES] = {
		{0xf3, 0x0f, 0x1e, 0xfa, 0xc3}, {0xc3, 0x66, 0x66, 0x2e, 0x0f},
		{0xc3, 0x66, 0x2e, 0x0f, 0x1f}, {0xc3, 0x0f, 0x1f, 0x44, 0x00},
		{0xc3, 0x0f, 0x1f, 0x40, 0x00}, {0xc3, 0x0f, 0x1f, 0x80, 0x00},
		{0xc3, 0x90, 0x90, 0x90, 0x90}, {0xc3, 0xcc, 0xcc, 0xcc, 0xcc},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (memcmp(code, known[i], JUMP_BYTES) == 0)
			return true;
	return false;
}

/* Nothing of the program has run, so no thread is in there. */
static bool put_jump(uint64_t at, int32_t distance)
{
	struct texts texts;

	if (texts_find_at(at, JUMP_BYTES, &texts) != 0 || !texts_are_code(&texts, at, JUMP_BYTES) ||
	    texts_open(&texts, true) != 0)
		return false;
	texts_put(&texts, at, OPCODE_JUMP | (uint64_t)(uint32_t)distance << 8, JUMP_BYTES);
	return texts_close(&texts) == 0;
}

void funcpatch_loader_follow(void)
{
	unsigned char *code = (unsigned char *)_r_debug.r_brk;
	int64_t distance = (int64_t)((intptr_t)on_change - (intptr_t)(code + JUMP_BYTES));

	if (code && is_empty(code) && distance == (int32_t)distance &&
	    put_jump((uint64_t)(uintptr_t)code, (int32_t)distance))
		return;
	if (!funcpatch_settings.has_later)
		return;
	funcpatch_complain("functions of libraries that are loaded later are not recorded: "
			   "the loader cannot be followed");
}
