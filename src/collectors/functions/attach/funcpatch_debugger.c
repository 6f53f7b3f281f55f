/* Announces trampolines to debuggers by the JIT interface: a list of ELF objects in memory, and a
 * function that is called when it has changed.  An attached debugger stops in it; one that attaches
 * later, or reads a core file, walks the list.
 *
 * A program may contain a JIT compiler.  Either that uses this library's list instead of its
 * own, so that all objects are in the same one; or it has its own in the program's file, and
 * then debuggers read two. */
#include "collectors/functions/attach/funcpatch_debugger.h"

#include "collectors/functions/modules/funcpatch_module.h"

/* As gdb and lldb define it: "JIT Compilation Interface". */
enum { ACTION_NONE, ACTION_ADDED, ACTION_REMOVED };

struct debugger_entry {
	struct debugger_entry *next, *previous;
	const void *object;
	uint64_t size;
};

struct debugger_list {
	uint32_t version;
	uint32_t action;
	struct debugger_entry *changed, *first;
};

/* Local names, so that symbols of the same name in other libraries cannot interpose them. */
static struct debugger_list debugger_list = {.version = 1};
static struct debugger_entry entries[FUNCPATCH_MODULES_MAX];

static __attribute__((noinline)) void debugger_changed(void)
{
	__asm__ volatile("" ::: "memory");
}

#define EXPORTED_AS(name) __attribute__((alias(name), visibility("default")))

extern struct debugger_list exported_list __asm__("__jit_debug_descriptor")
	EXPORTED_AS("debugger_list");
void exported_changed(void) __asm__("__jit_debug_register_code") EXPORTED_AS("debugger_changed");

static void debugger_notify(struct debugger_entry *entry, uint32_t action)
{
	debugger_list.changed = entry;
	debugger_list.action = action;
	debugger_changed();
	debugger_list.action = ACTION_NONE;
	debugger_list.changed = NULL;
}

void funcpatch_debugger_add(const struct funcpatch_module *module)
{
	struct debugger_entry *entry = &entries[module - funcpatch_modules];

	if (!module->applied.object)
		return;
	entry->object = module->applied.object;
	entry->size = module->applied.object_size;
	entry->previous = NULL;
	entry->next = debugger_list.first;
	if (entry->next)
		entry->next->previous = entry;
	debugger_list.first = entry;
	debugger_notify(entry, ACTION_ADDED);
}

void funcpatch_debugger_remove(const struct funcpatch_module *module)
{
	struct debugger_entry *entry = &entries[module - funcpatch_modules];

	if (!entry->object)
		return;
	if (entry->previous)
		entry->previous->next = entry->next;
	else
		debugger_list.first = entry->next;
	if (entry->next)
		entry->next->previous = entry->previous;
	debugger_notify(entry, ACTION_REMOVED);
	entry->object = NULL;
}
