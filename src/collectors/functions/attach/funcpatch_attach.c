/* Called by `kymo attach` in a running program (patch/apply/patchattach.h): code is mapped while it
 * runs, text is written while it is stopped.
 *
 * The library was loaded too late to interpose the loader functions that unwinders call:
 * displaced calls are registered with the C++ runtime instead, and there are no call-throughs,
 * whose frames every unwinder would have to know.  Serves funcpatch.h. */
#include "collectors/functions/funcpatch.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_modules.h"
#include "collectors/functions/modules/funcpatch_skipped.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/apply/patchapply_ready.h"
#include "patch/apply/patchapply_write.h"
#include "patch/apply/patchattach.h"
#include "patch/plan/plan.h"
#include "runtime/runtime.h"

#define EXPORT	       __attribute__((visibility("default")))
#define SETTINGS_MAX   128u
#define UNWINDER       "libgcc_s.so.1"
#define REGISTER       "__register_frame"
#define NOT_UNDERSTOOD "kymo attach and the library in the process are of different versions"

bool funcpatch_is_attached;

EXPORT struct patchattach_table kymo_functions_modules = {.version = PATCHATTACH_VERSION};

static bool is_prepared;			      /* a recording was opened here */
static const void *registered[FUNCPATCH_MODULES_MAX]; /* tables registered with the unwinder */
static enum patch_cost last_cost;
static bool last_is_serialized;
static char last_key[64];

EXPORT int kymo_functions_prepare(const char *settings, char *reason, size_t size);
EXPORT long kymo_functions_ready(long has_text);
EXPORT long kymo_functions_write(void);
EXPORT int kymo_functions_start(char *reason, size_t size);
EXPORT long kymo_functions_undo(void);
EXPORT int kymo_functions_finish(char *reason, size_t size);

static int attach_fail(char *reason, size_t size, const char *text)
{
	snprintf(reason, size, "%s", text);
	return -1;
}

/* An environment made of "NAME=VALUE" texts.  It is not freed: pointers into it are kept. */
static char **attach_environment_of(const char *settings)
{
	const char *end = settings;
	size_t text_bytes, list_bytes = (SETTINGS_MAX + 1) * sizeof(char *);
	char **list, *text;
	unsigned count = 0;

	while (*end)
		end += strlen(end) + 1;
	text_bytes = (size_t)(end - settings) + 1;
	list = pages_new(list_bytes + text_bytes);
	if (!list)
		return NULL;
	text = (char *)list + list_bytes;
	memcpy(text, settings, text_bytes);
	for (; *text && count < SETTINGS_MAX; text += strlen(text) + 1)
		list[count++] = text;
	return *text ? NULL : list;
}

/* A writable copy of the choice. */
static bool copy_choice(struct funcpatch_module *module)
{
	const struct plan *plan = &module->applied.plan;
	uint8_t *choice = pages_new(module->count ? module->count : 1);

	if (!choice)
		return false;
	for (uint32_t i = 0; i < module->count; i++) {
		bool is_taken = plan->functions[i].way != PLAN_WAY_NONE &&
				(!module->choice || module->choice[i] == CHOICE_TAKEN);

		choice[i] = is_taken ? CHOICE_TAKEN : CHOICE_LEFT;
	}
	module->choice = choice;
	return true;
}

static void add_to_table(struct funcpatch_module *module)
{
	struct patchattach_table *table = &kymo_functions_modules;

	if (table->count == PATCHATTACH_MODULES_MAX || !copy_choice(module))
		return;
	table->modules[table->count++] = (struct patchattach_module){
		.plan = (uintptr_t)module->plan_bytes,
		.plan_size = module->plan_size,
		.bias = module->applied.bias,
		.code = module->applied.code,
		.code_end = module->applied.code_end,
		.moved = module->applied.moved,
		.choice = (uintptr_t)module->choice,
		.is_written = (uintptr_t)module->applied.is_written,
	};
}

static void attach_fill_table(void)
{
	kymo_functions_modules.count = 0;
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (funcpatch_modules[i].is_loaded && !funcpatch_modules[i].is_rewritten)
			add_to_table(&funcpatch_modules[i]);
}

/* An exception may pass through a displaced call. */
static void register_frames(void)
{
	void *unwinder = dlopen(UNWINDER, RTLD_NOW);
	void (*register_frames_of)(const void *) =
		unwinder ? (void (*)(const void *))(uintptr_t)dlsym(unwinder, REGISTER) : NULL;

	for (uint32_t i = 0; register_frames_of && i < funcpatch_module_count; i++) {
		const void *frames = funcpatch_modules[i].applied.frames;

		if (!frames || frames == registered[i])
			continue;
		register_frames_of(frames);
		registered[i] = frames;
	}
}

/* Code for another cost or choice stays mapped, but is not used any more. */
static void attach_forget_others(void)
{
	bool is_same = last_cost == funcpatch_settings.cost &&
		       last_is_serialized == funcpatch_settings.is_serialized &&
		       strncmp(last_key, funcpatch_settings.key, sizeof(last_key)) == 0;

	funcpatch_gate_renew();
	funcpatch_modules_forget();
	funcpatch_skip_none();
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (!is_same && !funcpatch_modules[i].is_rewritten)
			funcpatch_modules[i].is_loaded = false;
	last_cost = funcpatch_settings.cost;
	last_is_serialized = funcpatch_settings.is_serialized;
	snprintf(last_key, sizeof(last_key), "%s", funcpatch_settings.key);
}

static int open_recording(char *const *environment, char *reason, size_t size)
{
	struct kymo_runtime_options options = {.size = sizeof(options), .environment = environment};

	return kymo_runtime_open(&options, reason, size);
}

static int attach_prepare(const char *settings, char *reason, size_t size)
{
	char **environment = attach_environment_of(settings);

	if (!environment)
		return attach_fail(reason, size, NOT_UNDERSTOOD);
	if (!funcpatch_settings_read(environment))
		return attach_fail(reason, size, NOT_UNDERSTOOD);
	if (!funcpatch_call_init())
		return attach_fail(reason, size,
				   "its processor is not one that kymo can instrument for");
	funcpatch_settings.has_calls = false;
	if (open_recording(environment, reason, size) != 0)
		return -1;
	is_prepared = funcpatch_is_attached = true;
	attach_forget_others();
	funcpatch_modules_scan();
	attach_fill_table();
	if (kymo_functions_modules.count == 0) {
		kymo_runtime_close(-1);
		is_prepared = false;
		return attach_fail(reason, size,
				   funcpatch_complaint()[0] ? funcpatch_complaint()
							    : "there is no plan for its functions");
	}
	register_frames();
	return 0;
}

int kymo_functions_prepare(const char *settings, char *reason, size_t size)
{
	KEEP_ERRNO();
	int result;

	if (is_prepared)
		return attach_fail(reason, size,
				   "its functions are instrumented already; the other kymo attach "
				   "failed, or is still active");
	if (kymo_runtime_state() == KYMO_RUNTIME_ACTIVE)
		return attach_fail(reason, size, "it is recorded by kymo already");
	result = attach_prepare(settings, reason, size);
	return result;
}

long kymo_functions_ready(long has_text)
{
	uint64_t headers = getauxval(AT_PHDR);

	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (module->is_loaded && !module->is_rewritten)
			patchapply_ready(&module->applied, has_text && headers >= module->start &&
								   headers < module->end);
	}
	return 0;
}

/* Calls nothing of the C library. */
long kymo_functions_write(void)
{
	long count = 0;

	funcpatch_threads_renew();
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_loaded || module->is_rewritten)
			continue;
		patchapply_write(&module->applied, module->choice, true, &module->taken);
		count += (long)module->taken;
	}
	kymo_functions_modules.is_written = count > 0;
	return count;
}

int kymo_functions_start(char *reason, size_t size)
{
	KEEP_ERRNO();

	funcpatch_opened();
	kymo_runtime_ready();
	return funcpatch_is_open
		       ? 0
		       : attach_fail(reason, size,
				     funcpatch_complaint()[0] ? funcpatch_complaint()
							      : "nothing can be recorded");
}

long kymo_functions_undo(void)
{
	long failures = 0;

	funcpatch_stop();
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (module->is_loaded && !module->is_rewritten &&
		    patchapply_unwrite(&module->applied) != 0)
			failures += (long)module->taken;
	}
	kymo_functions_modules.is_written = 0;
	return failures;
}

int kymo_functions_finish(char *reason, size_t size)
{
	KEEP_ERRNO();

	if (!is_prepared)
		return attach_fail(reason, size, "its functions are not instrumented");
	kymo_runtime_close(-1);
	is_prepared = false;
	return 0;
}

/* The program ends before kymo detaches. */
__attribute__((destructor)) static void end(void)
{
	KEEP_ERRNO();

	if (is_prepared)
		kymo_runtime_close(-1);
}
