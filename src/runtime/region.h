/* Regions: naming, entering and leaving them, and those that users begin and end. */
#ifndef KYMO_REGION_H
#define KYMO_REGION_H

#include <stdbool.h>
#include <stdint.h>

#include "format/format.h"
#include "runtime/exported.h"

struct kymo_thread;
struct kymo_node;

struct kymo_region_spec {
	enum kymo_region_kind kind;
	uint32_t flags;	  /* KYMO_REGION_* */
	const char *name; /* UTF-8; the rest may be NULL */
	const char *qualname;
	const char *module;
	const char *file;
	const char *arguments;
	uint32_t line;
	uint16_t argument_count;
	uint16_t local_count;
	uint32_t stack_size;
};

/* Id of the region with these properties, always the same one; 0 if the recording is full.
 * Context: thread. */
KYMO_EXPORT uint32_t kymo_region_intern(const struct kymo_region_spec *spec);

/* Call path and events: the slow halves of hot.h. */

/* Child of the current node for region, found or made.  NULL if the path folds: the enter is
 * then kept on the fold stack and balanced by kymo_callpath_exit_slow(). */
KYMO_EXPORT struct kymo_node *kymo_callpath_find(struct kymo_thread *thread, uint32_t region);
/* An exit whose region is not the current one: folded, unbalanced or not entered. */
KYMO_EXPORT void kymo_callpath_exit_slow(struct kymo_thread *thread, uint32_t region, uint64_t now);

/* Append an event that does not fit the head or the chunk. */
KYMO_EXPORT void kymo_event_slow(struct kymo_thread *thread, enum kymo_event_kind kind,
				 uint32_t region, uint64_t now, uint64_t word);

/* The uncommon cases of kymo_admits(): blocked threads, and changes of the gate, which this
 * applies to the thread.  Context: hook. */
KYMO_EXPORT bool kymo_admits_slow(struct kymo_thread *thread);

/* Entering and leaving for wrappers and users. */

/* Enter region if recording is on; false: it was not entered, and must not be left.  Saves
 * errno.  In a signal handler that interrupted one of these two it does nothing, and the loss is
 * counted.  Context: any, signal handlers too. */
KYMO_EXPORT bool kymo_region_enter(struct kymo_thread *thread, uint32_t region);
/* Leave what kymo_region_enter() entered. */
KYMO_EXPORT void kymo_region_leave(struct kymo_thread *thread, uint32_t region);

/* Regions that a user begins and ends, in any language. */

/* Enter nothing on the calling thread until it has been resumed as often as it was paused.
 * Context: thread. */
KYMO_EXPORT void kymo_user_pause(struct kymo_thread *thread);
/* False if it was not paused. */
KYMO_EXPORT bool kymo_user_resume(struct kymo_thread *thread);

/* The region of that name, shared by all languages; 0 if the recording is full.  Context: thread.
 */
KYMO_EXPORT uint32_t kymo_user_region(const char *name);

/* Enter region on the calling thread and keep it on the thread's stack of users' regions, as not
 * entered if nothing is recorded now.  Context: thread. */
KYMO_EXPORT void kymo_user_begin(struct kymo_thread *thread, uint32_t region);

enum kymo_user_end {
	KYMO_USER_ENDED,     /* it was the innermost one */
	KYMO_USER_REORDERED, /* it was not: those inside of it were ended too, and counted */
	KYMO_USER_NOT_OPEN,  /* counted; nothing else was done */
};
KYMO_EXPORT enum kymo_user_end kymo_user_end(struct kymo_thread *thread, uint32_t region);
/* The innermost open one, entered or not; 0 = none. */
KYMO_EXPORT uint32_t kymo_user_innermost(const struct kymo_thread *thread);

#endif
