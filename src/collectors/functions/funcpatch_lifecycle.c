/* The beginning and the end: instrument before anything runs, record when the runtime is open,
 * stop when it closes.  Serves funcpatch.h. */
#include "collectors/functions/funcpatch.h"

#include "collectors/functions/records/funcpatch_hooks.h"
#include "collectors/functions/threads/funcpatch_text.h"

#include <stdio.h>
#include <string.h>

#include "base/keeperrno.h"
#include "collectors/functions/counts/funcpatch_throttle.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_describe.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_modules.h"
#include "collectors/functions/modules/funcpatch_sanitizer.h"
#include "collectors/functions/modules/funcpatch_switch.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "collectors/functions/threads/funcpatch_unwind.h"
#include "object/unwind/unwind.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "platform/valgrind.h"
#include "runtime/control/sampling.h"
#include "runtime/log.h"
#include "runtime/modules.h"
#include "runtime/store/note.h"

#define NOTE_KEY "functions"

static bool has_complained; /* one line was printed on stderr: later ones are only recorded */
static char early[512];	    /* messages from before there was a recording */

void funcpatch_complain(const char *text)
{
	if (!has_complained && !funcpatch_is_attached)
		kymo_log(KYMO_LOG_ERROR, "%s", text);
	has_complained = true;
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, text);
	else if (!early[0])
		snprintf(early, sizeof(early), "%s", text);
}

const char *funcpatch_complaint(void)
{
	return early;
}

/* The runtime selects the clock; this library has its own copy of that choice. */
static bool has_clock(void)
{
	clock_select(kymo_runtime_setting("CLOCK"));
	if (funcpatch_settings.cost == PATCH_COST_COARSE || clock_is_ticks())
		return true;
	funcpatch_complain("functions are not recorded: the recording's clock is not the "
			   "processor's counter; KYMO_FUNCTIONS_TIMING=coarse needs none");
	return false;
}

static void lifecycle_record(bool is_on)
{
	__atomic_store_n(&funcpatch_is_open, is_on, __ATOMIC_SEQ_CST);
	funcpatch_switch(!is_on || !funcpatch_gate_is_open());
}

void funcpatch_stop(void)
{
	lifecycle_record(false);
}

void funcpatch_loaded(void)
{
	uint64_t before;

	kymo_modules_record();
	funcpatch_lock(&before);
	funcpatch_modules_describe();
	funcpatch_unlock(before);
}

void funcpatch_opened(void)
{

	if (early[0])
		kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, early);
	if ((funcpatch_module_count == 0 && !funcpatch_settings.has_later) || !has_clock())
		return;
	kymo_modules_watch();
	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		unwind_learn();
	funcpatch_loaded();
	lifecycle_record(true);
	kymo_thread_listen(&funcpatch_listener);
	funcpatch_helper_init();
	funcpatch_gate_follow();
	if (!funcpatch_gate_is_open())
		funcpatch_helper_need();
}

static void note_skipped(void)
{
	uint64_t before, skipped;
	char text[160];

	funcpatch_lock(&before);
	skipped = funcpatch_skipped();
	funcpatch_unlock(before);
	if (skipped == 0)
		return;
	snprintf(text, sizeof(text),
		 "%llu enters and exits of functions were not recorded: signal handlers "
		 "interrupted, or Kymo was active",
		 (unsigned long long)skipped);
	kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, text);
}

static void note_left(void)
{
	char text[160];

	if (funcpatch_text_left() == 0)
		return;
	snprintf(text, sizeof(text),
		 "%llu functions were not recorded in a time window: running signal handlers "
		 "would have returned into them",
		 (unsigned long long)funcpatch_text_left());
	kymo_note_add(KYMO_NOTE_LOSS, NOTE_KEY, text);
}

void funcpatch_closing(bool is_closing)
{
	static bool was_open;
	KEEP_ERRNO();

	if (is_closing) {
		was_open = funcpatch_is_open;
		lifecycle_record(false);
		funcpatch_throttle_close();
		funcpatch_gate_unshare(true);
		note_skipped();
		note_left();
	} else if (was_open) {
		funcpatch_gate_share_again();
		lifecycle_record(true);
	}
}

/* Patches would be written, but only the original code runs. */
static bool can_be_patched(void)
{
	if (!valgrind_is_here())
		return true;
	funcpatch_complain("functions are not recorded: Valgrind runs the program, by a "
			   "translation of its code that patches do not reach");
	funcpatch_settings.has_later = false;
	kymo_runtime_on_open(funcpatch_opened);
	return false;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
	KEEP_ERRNO();
	uint64_t began_ns = usage_own_ns();

	(void)argc;
	(void)argv;
	funcpatch_sanitizer_init();
	funcpatch_hooks_init();
	if (funcpatch_settings_read(environment) && can_be_patched() && funcpatch_call_init()) {
		funcpatch_unwind_init();
		funcpatch_shadow_check_libraries();
		funcpatch_modules_scan();
		funcpatch_throttle_init();
		if (funcpatch_settings.has_later || funcpatch_shadow_start() != UINT64_MAX)
			funcpatch_loader_follow();
		kymo_runtime_on_open(funcpatch_opened);
	}
	kymo_cost_early(usage_own_ns() - began_ns);
}
