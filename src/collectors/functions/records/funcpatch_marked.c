/* The slow path of records with marks of time (patch/apply/patchabi.h).
 *
 * A handler may interrupt at any instruction, may jump away, and finds the cursor open or
 * closed.  It is closed by a compare-and-exchange with PATCH_CURSOR_CLOSED, after its value was
 * stored in self->at: code that finds it closed knows the position of the next record.  While it
 * is closed only the slow path advances self->at, before it writes there: what a jump leaves
 * behind is a record, or zeros, which readers skip.  Compiled to use general registers only. */
#include "collectors/functions/records/funcpatch_marked.h"

#include "collectors/functions/records/funcpatch_away.h"
#include "collectors/functions/threads/funcpatch_threads.h"

static void fence(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

bool funcpatch_marked_close(struct patch_thread_state *hot)
{
	struct funcpatch_thread *self = funcpatch_self;
	uint8_t *closed = (uint8_t *)(uintptr_t)PATCH_CURSOR_CLOSED, *cursor;

	if (!funcpatch_is_marked() || !self)
		return false;
	cursor = __atomic_load_n(&hot->cursor, __ATOMIC_RELAXED);
	while (cursor < closed) {
		__atomic_store_n(&self->at, cursor, __ATOMIC_RELAXED);
		fence();
		if (__atomic_compare_exchange_n(&hot->cursor, &cursor, closed, false,
						__ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

void funcpatch_marked_open(struct patch_thread_state *hot)
{
	fence();
	__atomic_store_n(&hot->cursor, funcpatch_self->at, __ATOMIC_RELAXED);
	fence();
}

static uint8_t *marked_take(struct funcpatch_thread *self, unsigned bytes)
{
	uint8_t *at = self->at;

	__atomic_store_n(&self->at, at + bytes, __ATOMIC_RELAXED);
	fence();
	return at;
}

/* Without its ticks, as in a killed process, it is a mark without effect. */
static void marked_put_mark(struct funcpatch_thread *self, enum patch_mark mark, uint64_t ticks)
{
	uint8_t *at = marked_take(self, PATCH_MARK_BYTES);

	*at = (uint8_t)(mark << 2);
	fence();
	__builtin_memcpy(at + 1, &ticks, sizeof(ticks));
}

/* Earlier records may be later than the switch, if the thread noticed it late. */
static void put_window(struct funcpatch_thread *self)
{
	uint64_t off, on;

	if (!__atomic_load_n(&self->has_window, __ATOMIC_RELAXED) ||
	    !__atomic_exchange_n(&self->has_window, 0, __ATOMIC_ACQUIRE))
		return;
	off = self->window_off > self->marked ? self->window_off : self->marked;
	on = self->window_on > off ? self->window_on : off;
	marked_put_mark(self, PATCH_MARK_OFF, off);
	marked_put_mark(self, PATCH_MARK_ON, on);
	self->marked = on;
}

/* The thread may have been pre-empted since the previous record.  Measuring that takes long
 * enough for handlers, which write records with times of their own: the time of the next record
 * is read after it. */
static void put_away(struct funcpatch_thread *self, const struct patch_thread_state *hot)
{
	uint64_t now = funcpatch_now(), ticks;

	if (hot->last == 0 || now <= hot->last)
		return;
	if (now < hot->last + PATCH_PAUSE_TICKS && !self->away.is_crowded)
		return;
	ticks = funcpatch_away_measure(self, now - hot->last);
	if (ticks > 0)
		marked_put_mark(self, PATCH_MARK_AWAY, ticks);
}

bool funcpatch_marked_put(struct patch_thread_state *hot, bool is_exit, uint32_t id, uint64_t slot)
{
	struct funcpatch_thread *self = funcpatch_self;
	uint32_t head = (uint32_t)((slot >> PATCH_SLOT_SHIFT) & PATCH_SLOT_MASK)
			<< PATCH_MARKED_SLOT_SHIFT;
	uint64_t now;

	(void)funcpatch_marked_close(hot);
	if (self->at >= hot->limit && funcpatch_self == self &&
	    !funcpatch_apart(funcpatch_thread_refill))
		return false;
	put_window(self);
	put_away(self, hot);
	now = funcpatch_now();
	if (now != hot->last)
		marked_put_mark(self, PATCH_MARK_TIME, now);
	hot->last = self->marked = now;
	if (is_exit) {
		uint16_t bits = (uint16_t)(head | 2);

		__builtin_memcpy(marked_take(self, PATCH_MARKED_EXIT_BYTES), &bits, sizeof(bits));
	} else {
		head |= id << PATCH_MARKED_ID_SHIFT | 1;
		__builtin_memcpy(marked_take(self, PATCH_MARKED_ENTER_BYTES), &head, sizeof(head));
	}
	if (funcpatch_self == self) /* false if a handler has forked, and this is the child */
		funcpatch_marked_open(hot);
	return true;
}

/* The thread applies it with its next record: its switch is off, and with an impossible time in
 * `last` it takes the slow path. */
void funcpatch_marked_window(struct funcpatch_thread *thread, uint64_t off, uint64_t on)
{
	if (!__atomic_load_n(&thread->has_window, __ATOMIC_ACQUIRE))
		thread->window_off = off;
	thread->window_on = on;
	__atomic_store_n(&thread->has_window, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&thread->hot->last, 0, __ATOMIC_RELEASE);
}

const uint8_t *funcpatch_marked_cursor(const struct funcpatch_thread *thread)
{
	const uint8_t *cursor = __atomic_load_n(&thread->hot->cursor, __ATOMIC_ACQUIRE);

	return (uintptr_t)cursor < PATCH_CURSOR_CLOSED
		       ? cursor
		       : __atomic_load_n(&thread->at, __ATOMIC_ACQUIRE);
}
