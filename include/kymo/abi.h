/* How annotated code and the runtime find each other: include <kymo/kymo.h>, not this.
 *
 * Every linked object with annotations holds one pointer, kymo_slot, which is NULL until the
 * runtime sets it to its table of functions.  Objects that are loaded when the runtime opens are
 * found by their note in the section .note.kymo, whose content is the distance from itself to the
 * pointer; objects that are loaded later call kymo_bind().  Nothing is linked.
 *
 * Compiles alone in C11 and C++11, and is stable: structures here only grow at their end, and
 * code compiled against an older one never reads beyond it.  A header that is newer than the
 * runtime checks kymo_api.size before it calls an appended function. */
#ifndef KYMO_ABI_H
#define KYMO_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Type of the note, and the version passed to kymo_bind().  Raised if a program and a runtime
 * that differ in it are incompatible. */
#define KYMO_API_VERSION 1

/* Without ELF and the compilers' attributes no object can be found: as if disabled. */
#if !defined(KYMO_DISABLE) && (!defined(__ELF__) || !defined(__GNUC__))
#define KYMO_DISABLE 1
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. */
enum kymo_result {
	KYMO_SUCCESS = 0,
	KYMO_NOT_LOADED = 1, /* Kymo is not loaded, or the callback was removed */
	KYMO_BAD_VALUE = 2,  /* an argument is invalid */
	KYMO_NOT_OPEN = 3,   /* to be ended, but not open on this thread */
	KYMO_REORDERED = 4,  /* ended, together with what was open inside of it */
	KYMO_OFF = 5,	     /* nothing is recorded now: stopped, or the recording is closed */
	KYMO_INTERNAL = 6,   /* no space or no memory; noted in the recording */
};

/* A place in the source.  The macros make static ones, so that a name is looked up once. */
struct kymo_site {
	const char *name;
	const char *function; /* NULL: the region is identified by its name, wherever it is named */
	const char *file;
	uint32_t line;
	uint32_t kind;	 /* enum kymo_site_kind */
	uint32_t region; /* set by the runtime; 0 at first */
	uint32_t reserved;
};

enum kymo_site_kind {
	KYMO_SITE_REGION = 0,
	KYMO_SITE_PHASE = 1,
	KYMO_SITE_INSTANT = 2,
	KYMO_SITE_PROGRESS = 3,
	KYMO_SITE_PROGRESS_BEGIN = 4,
	KYMO_SITE_PROGRESS_END = 5,
	KYMO_SITE_COUNTER = 6, /* function = unit */
};

enum kymo_type {
	KYMO_TYPE_TEXT = 1,
	KYMO_TYPE_SIGNED = 2,
	KYMO_TYPE_UNSIGNED = 3,
	KYMO_TYPE_FLOAT = 4,
	KYMO_TYPE_POINTER = 5,
};

/* A value with a name, at the beginning of a region or at an instant.  The texts are
 * copied before the call that takes it returns. */
struct kymo_value {
	const char *name;
	uint64_t type; /* enum kymo_type */
	union {
		const char *text;
		int64_t number;
		uint64_t natural;
		double real;
		const void *pointer;
	} as;
};

enum kymo_configure_mode {
	KYMO_CONFIGURE_UNION = 0,     /* replace those that are not NULL */
	KYMO_CONFIGURE_REPLACE = 1,   /* replace all; a call of one that is NULL does nothing */
	KYMO_CONFIGURE_INTERSECT = 2, /* keep those that are the same, remove the others */
};

/* What the functions of the same names do; see kymo_configure(). */
struct kymo_callbacks {
	size_t size; /* of this structure */
	int (*start)(void);
	int (*stop)(void);
	int (*thread_start)(void);
	int (*thread_stop)(void);
	int (*region_begin)(const char *name);
	int (*region_end)(const char *name);
	int (*region_begin_with)(const char *name, const struct kymo_value *values, size_t count);
	int (*region_end_with)(const char *name, const struct kymo_value *values, size_t count);
	int (*progress)(const char *name);
	int (*progress_with)(const char *name, const struct kymo_value *values, size_t count);
};

/* The runtime's functions: those of kymo.h without their prefix, and the macros' site_*. */
struct kymo_api {
	size_t size; /* of this structure, in the runtime that is loaded */
	int (*site_begin)(struct kymo_site *site);
	int (*site_end)(struct kymo_site *site);
	int (*site_mark)(struct kymo_site *site);
	int (*site_count)(struct kymo_site *site, double value, int is_sum);
	int (*region_begin)(const char *name);
	int (*region_end)(const char *name);
	int (*region_begin_with)(const char *name, const struct kymo_value *values, size_t count);
	int (*region_end_with)(const char *name, const struct kymo_value *values, size_t count);
	int (*phase_begin)(const char *name);
	int (*phase_end)(const char *name);
	int (*parameter)(const struct kymo_value *value);
	int (*instant)(const char *name, const struct kymo_value *values, size_t count);
	int (*message_send)(const char *name, uint64_t id);
	int (*message_receive)(const char *name, uint64_t id);
	int (*progress)(const char *name);
	int (*progress_with)(const char *name, const struct kymo_value *values, size_t count);
	int (*progress_begin)(const char *name);
	int (*progress_end)(const char *name);
	int (*counter_set)(const char *name, const char *unit, double value);
	int (*counter_add)(const char *name, const char *unit, double value);
	int (*thread_label)(const char *name);
	int (*start)(void);
	int (*stop)(void);
	int (*thread_start)(void);
	int (*thread_stop)(void);
	int (*snapshot)(const char *name);
	int (*configure)(int mode, const struct kymo_callbacks *in, struct kymo_callbacks *old);
};

#ifdef KYMO_DISABLE

static inline const struct kymo_api *kymo_api_now(void)
{
	return NULL;
}

#else

extern __attribute__((weak, visibility("hidden"))) const struct kymo_api *kymo_slot;
__attribute__((weak, visibility("hidden"), used)) const struct kymo_api *kymo_slot;

/* In a group of its own the note would be removed with unused sections. */
#if defined(__LP64__)
__asm__(".pushsection .note.kymo,\"a\",%note\n"
	"	.balign 4\n"
	"	.long 5\n"
	"	.long 8\n"
	"	.long 1\n"
	"	.asciz \"Kymo\"\n"
	"	.balign 4\n"
	"	.quad kymo_slot - .\n"
	"	.popsection");
#endif

/* Set *slot to the table when the runtime is open.  Exported by libkymo.so; 0 if that is not
 * loaded. */
extern __attribute__((weak, visibility("default"))) void kymo_bind(const struct kymo_api **slot,
								   unsigned version);

static __attribute__((constructor)) void kymo_bind_loaded(void)
{
	if (kymo_bind)
		kymo_bind(&kymo_slot, KYMO_API_VERSION);
}

/* The runtime's table, NULL if it is not loaded. */
static inline const struct kymo_api *kymo_api_now(void)
{
	return __atomic_load_n(&kymo_slot, __ATOMIC_RELAXED);
}

#endif

#ifdef __cplusplus
}
#endif

#endif
