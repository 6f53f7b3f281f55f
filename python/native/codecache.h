/* The action for a code object, decided once and stored in the code object itself (co_extra), so
 * that it is freed with it and a reused address begins undecided.
 *
 * The stored word: upper half the region id, lower half a tag of epoch, action and marks: whether
 * it is a generator's, and so on.  A configuration change begins a new epoch, which makes all
 * stored words stale at once. */
#ifndef KYMO_CODECACHE_H
#define KYMO_CODECACHE_H

#include "collector.h"

enum code_action {
	CODE_UNDECIDED = 0,
	CODE_RECORD = 1,
	CODE_SKIP = 2,	 /* not recorded; its callees are */
	CODE_HIDE = 3,	 /* not recorded, nor anything below it */
	CODE_LABEL = 4,	 /* recorded with its arguments: a region for every label */
	CODE_IMPORT = 5, /* the import machinery's entry: a region for every module imported */
};

#define CODE_ACTION_MASK 7u
#define CODE_GENERATOR	 8u
#define CODE_DROPS_C	 16u /* C functions called from here are dropped with its module */
#define CODE_EPOCH_SHIFT 8

/* Layout of co_extra, private to CPython and the same since 3.6; checked at start. */
struct code_extra {
	Py_ssize_t size;
	void *values[1];
};

struct codecache {
	Py_ssize_t index;
	bool is_layout_known; /* else the API is used */
	uint32_t epoch;
	uint32_t record_tag; /* of this epoch: the common case in one comparison */
};

extern struct codecache codecache;

/* 0, or -1 with an exception. */
int codecache_init(void);
/* Invalidate all decisions. */
void codecache_renew(void);
/* Whether generators' words are marked in the current recording. */
bool codecache_marks(const PyCodeObject *code);
/* Store a word for code. */
void codecache_set(PyCodeObject *code, uint64_t word);
/* Decide now; returns the word stored. */
uint64_t codecache_decide(PyCodeObject *code);

/* The word, if the layout is known. */
static inline uint64_t codecache_word_at_once(const PyCodeObject *code)
{
	const struct code_extra *extra = (const struct code_extra *)code->co_extra;

	if (kymo_likely(extra != NULL && extra->size > codecache.index))
		return (uint64_t)(uintptr_t)extra->values[codecache.index];
	return 0;
}

static inline uint64_t codecache_word(PyCodeObject *code)
{
	void *word = NULL;

	if (kymo_likely(codecache.is_layout_known))
		return codecache_word_at_once(code);
	code_get_extra((PyObject *)code, codecache.index, &word);
	return (uint64_t)(uintptr_t)word;
}

static inline uint32_t word_tag(uint64_t word)
{
	return (uint32_t)word;
}

static inline uint32_t word_region(uint64_t word)
{
	return (uint32_t)(word >> 32);
}

static inline enum code_action word_action(uint64_t word)
{
	return (enum code_action)(word & CODE_ACTION_MASK);
}

/* True when the word was decided in this epoch. */
static inline bool word_is_valid(uint64_t word)
{
	return word_tag(word) >> CODE_EPOCH_SHIFT == codecache.epoch;
}

#endif
