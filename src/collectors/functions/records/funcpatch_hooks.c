/* The hooks of functions that were compiled with -finstrument-functions.
 *
 * A call's height is that of the word above the hook's return address, the lowest of the function's
 * frame, which it shares with all functions inlined into it.  So slots are derived from heights:
 * each is below those that are open.  They are even, which return addresses are not.  An end
 * identifies a function, not a call, and its height may differ (a function may end by a jump to the
 * hook, or have extended its frame), so open calls are stored.
 *
 * Ifunc resolvers may call the hooks before the first instruction of Kymo, when this library is
 * not relocated: then only has_begun is read. */
#include "collectors/functions/records/funcpatch_hooks.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

#include "base/basename.h"
#include "base/pages.h"
#include "base/probe.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/records/funcpatch_slow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/apply/patchapplied.h"
#include "platform/code/rawmemory.h"
#include "patch/read/planreadfunction.h"
#include "platform/ticks.h"

#define EXPORT	    __attribute__((visibility("default")))
#define OPEN_MAX    (1u << 18) /* calls; the maximum that fits a stack of 8 MiB */
#define ALIGN	    16u
#define HASH_FACTOR UINT32_C(0x9e3779b1)

EXPORT void __cyg_profile_func_enter(void *function, void *site);
EXPORT void __cyg_profile_func_exit(void *function, void *site);

typedef void (*hook_fn)(void *function, void *site);

struct hook_slot { /* of a function, by a hash of its offset */
	uint32_t offset;
	uint32_t index; /* plus 1; 0 = none */
};

struct hook_index {
	uint32_t mask, shift;
	uint64_t start; /* address that offsets count from */
	struct hook_slot slots[];
};

struct open { /* a call */
	uint64_t height, slot;
	uint32_t id;
};

struct funcpatch_opens {
	uint32_t depth;
	struct open calls[OPEN_MAX];
};

static volatile bool has_begun;
static hook_fn next_enter, next_exit; /* of another library, except the C library */
static bool are_own;		      /* the program's calls are bound to these hooks */

static hook_fn next_of(const char *name)
{
	void *function = dlsym(RTLD_NEXT, name);
	Dl_info info;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return NULL;
	/* The C library's are empty. */
	return strncmp(path_base_name(info.dli_fname), "libc.so", 7) == 0
		       ? NULL
		       : (hook_fn)(uintptr_t)function;
}

static bool hooks_is_own(const void *function)
{
	Dl_info there, here;

	return function && dladdr(function, &there) &&
	       dladdr((const void *)(uintptr_t)&has_begun, &here) &&
	       there.dli_fbase == here.dli_fbase;
}

void funcpatch_hooks_init(void)
{
	next_enter = next_of("__cyg_profile_func_enter");
	next_exit = next_of("__cyg_profile_func_exit");
	are_own = hooks_is_own(dlsym(RTLD_DEFAULT, "__cyg_profile_func_enter"));
	has_begun = true;
}

/* The slot of offset, or the free slot for it. */
static struct hook_slot *hooks_slot_of(struct hook_index *hook_index, uint32_t offset)
{
	struct hook_slot *hook_slot = hook_index->slots;

	return &hook_slot[probe(offset * HASH_FACTOR >> hook_index->shift, hook_index->mask, i,
				!hook_slot[i].index || hook_slot[i].offset == offset)];
}

static struct hook_index *hook_index_new(uint64_t count)
{
	struct hook_index *hook_index;
	uint32_t bits = 4;
	uint64_t size;

	while ((UINT64_C(1) << bits) < 2 * count)
		bits++;
	size = sizeof(*hook_index) + (sizeof(struct hook_slot) << bits);
	hook_index = pages_new(size);
	if (!hook_index)
		return NULL;
	hook_index->mask = (UINT32_C(1) << bits) - 1;
	hook_index->shift = 32 - bits;
	return hook_index;
}

static bool hooks_is_chosen(const struct funcpatch_module *module, uint32_t index)
{
	return module->applied.plan.functions[index].way == PLAN_WAY_HOOK &&
	       (!module->choice || module->choice[index] == CHOICE_TAKEN);
}

/* The table of a module from before it was unloaded is not freed: a thread may be reading it. */
bool funcpatch_hooks_take(struct funcpatch_module *module)
{
	const struct plan *plan = &module->applied.plan;
	struct hook_index *hook_index;
	uint64_t count = 0;

	for (uint32_t i = 0; i < module->count; i++)
		count += hooks_is_chosen(module, i);
	if (count == 0 || funcpatch_is_attached)
		return true;
	hook_index = are_own ? hook_index_new(count) : NULL;
	if (hook_index)
		hook_index->start = plan->header->image_start + module->applied.bias;
	for (uint32_t i = 0; i < module->count; i++) {
		if (!hooks_is_chosen(module, i))
			continue;
		module->taken -= module->applied.is_written[i] != PATCHAPPLY_LEFT;
		module->applied.is_written[i] = hook_index ? PATCHAPPLY_PINNED : PATCHAPPLY_LEFT;
		module->taken += hook_index != NULL;
		if (hook_index) {
			uint32_t offset =
				(uint32_t)(plan->functions[i].address - plan->header->image_start);

			*hooks_slot_of(hook_index, offset) = (struct hook_slot){offset, i + 1};
		}
	}
	__atomic_store_n(&module->hook_index, hook_index, __ATOMIC_RELEASE);
	return hook_index != NULL;
}

static struct funcpatch_module *hooks_find(uint64_t function, uint32_t *index)
{
	uint32_t count = __atomic_load_n(&funcpatch_module_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];
		struct hook_index *hook_index;
		const struct hook_slot *hook_slot;

		if (function < module->start || function >= module->end ||
		    !(hook_index = __atomic_load_n(&module->hook_index, __ATOMIC_ACQUIRE)))
			continue;
		hook_slot = hooks_slot_of(hook_index, (uint32_t)(function - hook_index->start));
		*index = hook_slot->index - 1;
		return hook_slot->index && module->is_loaded ? module : NULL;
	}
	return NULL;
}

void funcpatch_hooks_begin(struct funcpatch_thread *self)
{
	if (self->opens)
		self->opens->depth = 0;
}

static struct funcpatch_opens *opens_of(struct funcpatch_thread *self)
{
	long got;

	if (self->opens)
		return self->opens;
	got = raw_map(0, sizeof(*self->opens), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (got > 0)
		self->opens = (struct funcpatch_opens *)got;
	return self->opens;
}

/* Calls below were left by a jump or an exception, unless a handler has its own stack. */
static void hooks_drop_left(struct funcpatch_opens *opens, uint64_t height)
{
	if (opens->depth == 0 || opens->calls[opens->depth - 1].height >= height ||
	    funcpatch_is_on_signal_stack())
		return;
	while (opens->depth > 0 && opens->calls[opens->depth - 1].height < height)
		opens->depth--;
}

/* The slot of the next call; 0 = there is no space for it. */
static uint64_t slot_for(uint64_t height)
{
	struct funcpatch_thread *self = funcpatch_self;
	struct funcpatch_opens *opens = self ? opens_of(self) : NULL;
	uint64_t lowest;

	if (!opens || opens->depth == OPEN_MAX)
		return height;
	hooks_drop_left(opens, height);
	if (opens->depth == 0)
		return height;
	lowest = opens->calls[opens->depth - 1].slot - ALIGN;
	return lowest < height ? lowest : height;
}

/* The slot is reserved before it is filled: a handler that interrupts uses those above. */
static void hooks_push(uint64_t height, uint64_t slot, uint32_t id)
{
	struct funcpatch_thread *self = funcpatch_self;
	struct funcpatch_opens *opens = self ? opens_of(self) : NULL;
	struct open *call;

	if (!opens || opens->depth == OPEN_MAX)
		return;
	call = &opens->calls[opens->depth++];
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	call->height = height;
	call->slot = slot;
	call->id = id;
}

/* The slot of the call of id that ends at height; 0 = none is known.  An extended frame ends
 * below its beginning: then it is the innermost.  Otherwise those that began below height are
 * over, of which this is the outermost, and of several with the same height the innermost. */
static uint64_t hooks_pop(uint64_t height, uint32_t id, bool is_surely)
{
	struct funcpatch_opens *opens = funcpatch_self ? funcpatch_self->opens : NULL;
	uint64_t slot = 0, found = 0;
	uint32_t at;

	if (!opens)
		return 0;
	at = opens->depth;
	while (at > 0 && (!slot || opens->calls[at - 1].height <= height)) {
		const struct open *call = &opens->calls[--at];

		if (is_surely && call->height > height)
			return 0;
		if (call->id != id || call->height == found)
			continue;
		found = call->height;
		slot = call->slot;
		opens->depth = at;
	}
	return slot;
}

static uint64_t height_of(const void *frame)
{
	/* Above the frame pointer and the return address. */
	return ((uint64_t)(uintptr_t)frame + 16) & ~(uint64_t)(ALIGN - 1);
}

static size_t hooks_bare_length(const char *name)
{
	return strcspn(name, ".");
}

/* The caller: the function that this one was inlined into, if the hook was called from there.  A
 * clone made by the compiler, "solve.constprop.0", counts as that function. */
static uint64_t hooks_caller_of(const struct funcpatch_module *module, uint32_t index,
				uint64_t here, uint64_t site)
{
	const struct plan *plan = &module->applied.plan;
	uint64_t around = plan_function_at(plan, here - 1 - module->applied.bias);
	const char *name, *own = plan->names + plan->functions[index].name;

	if (around == index || around == plan->header->function_count)
		return site;
	name = plan->names + plan->functions[around].name;
	return hooks_bare_length(name) == hooks_bare_length(own) &&
			       strncmp(name, own, hooks_bare_length(own)) == 0
		       ? site
		       : here;
}

static void hooks_enter_counted(struct funcpatch_module *module, uint32_t index, uint64_t height,
				uint64_t here, uint64_t site)
{
	uint32_t *left = funcpatch_thread_state.left, id = module->first_id + index;
	uint64_t *start, slot;

	if (left && !funcpatch_count_down(&left[id]))
		return;
	slot = slot_for(height);
	start = funcpatch_counted_enter(module, index, slot,
					hooks_caller_of(module, index, here, site));
	if (!start)
		return;
	hooks_push(height, slot, id);
	*start = ticks_read();
}

static void hooks_enter_traced(uint32_t id, uint64_t height)
{
	uint64_t slot = slot_for(height);

	if (funcpatch_traced_enter(id, slot))
		hooks_push(height, slot, id);
}

__attribute__((noinline)) static void enter(uint64_t function, uint64_t height, uint64_t here,
					    uint64_t site)
{
	uint32_t index;
	struct funcpatch_module *module = hooks_find(function, &index);

	if (!module || __atomic_load_n(&module->applied.gate->is_off, __ATOMIC_RELAXED))
		return;
	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		hooks_enter_counted(module, index, height, here, site);
	else
		hooks_enter_traced(module->first_id + index, height);
}

/* Ends are processed also while recording is off. */
__attribute__((noinline)) static void leave(uint64_t function, uint64_t height)
{
	bool is_counts = funcpatch_settings.cost == PATCH_COST_COUNTS;
	uint64_t now = is_counts ? ticks_read() : 0, slot;
	struct funcpatch_module *module;
	uint32_t index;

	if (!funcpatch_self || !funcpatch_self->opens || funcpatch_self->opens->depth == 0 ||
	    funcpatch_thread_state.state != PATCH_STATE_READY ||
	    !(module = hooks_find(function, &index)))
		return;
	slot = hooks_pop(height, module->first_id + index, is_counts);
	if (slot && is_counts && slot == funcpatch_thread_state.timed)
		funcpatch_counted_exit(slot, now);
	else if (slot && !is_counts &&
		 !__atomic_load_n(&module->applied.gate->is_off, __ATOMIC_RELAXED))
		funcpatch_traced_exit(slot);
}

EXPORT void __cyg_profile_func_enter(void *function, void *site)
{
	if (!has_begun)
		return;
	if (next_enter)
		next_enter(function, site);
	enter((uint64_t)(uintptr_t)function, height_of(__builtin_frame_address(0)),
	      (uint64_t)(uintptr_t)__builtin_return_address(0), (uint64_t)(uintptr_t)site);
}

EXPORT void __cyg_profile_func_exit(void *function, void *site)
{
	if (!has_begun)
		return;
	leave((uint64_t)(uintptr_t)function, height_of(__builtin_frame_address(0)));
	if (next_exit)
		next_exit(function, site);
}
