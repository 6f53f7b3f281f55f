/* The uncommon cases of an enter and a leave: code not decided yet, hidden subtrees, pauses,
 * imports, labels with arguments, generators in a trace. */
#include "events.h"

#include "base/keeperrno.h"
#include "bytecode.h"
#include "labels.h"

/* Inline kymo_enter() once for every mode, so that each has no tests left. */
static void enter_region(struct kymo_thread *thread, uint32_t region)
{
	switch (collector.mode) {
	case KYMO_MODE_PROFILE:
		kymo_enter(thread, region, KYMO_MODE_PROFILE);
		break;
	case KYMO_MODE_TRACE:
		kymo_enter(thread, region, KYMO_MODE_TRACE);
		break;
	case KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS:
		kymo_enter(thread, region, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
		break;
	default:
		kymo_enter(thread, region, collector.mode);
	}
}

static void leave_region(struct kymo_thread *thread, uint32_t region, enum kymo_event_kind kind)
{
	switch (collector.mode) {
	case KYMO_MODE_PROFILE:
		kymo_leave(thread, region, kind, KYMO_MODE_PROFILE);
		break;
	case KYMO_MODE_TRACE:
		kymo_leave(thread, region, kind, KYMO_MODE_TRACE);
		break;
	case KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS:
		kymo_leave(thread, region, kind, KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS);
		break;
	default:
		kymo_leave(thread, region, kind, collector.mode);
	}
}

static const eval_frame *evaluated_by(const struct enter_source *source)
{
	if (source->evaluated)
		return source->evaluated;
	return source->frame ? frame_of_object(source->frame) : innermost_frame();
}

static int events_offset_of(const PyCodeObject *code, const struct enter_source *source)
{
	int offset = source->frame ? frame_last_instruction(source->frame) : source->offset;

	return bytecode_entry(code, offset);
}

static void enter_recorded(struct kymo_thread *thread, const PyCodeObject *code, uint32_t region,
			   uint64_t word, const struct enter_source *source)
{
	if (!(collector.mode & KYMO_MODE_TRACE))
		enter_region(thread, region);
	else if (collector.annotate)
		kymo_enter_with(thread, region, KYMO_EVENT_ANNOTATED,
				(uint32_t)events_offset_of(code, source) | source->identity << 32,
				collector.mode);
	else if (word & CODE_GENERATOR && source->identity)
		kymo_enter_with(thread, region, KYMO_EVENT_RESUME, source->identity,
				collector.mode);
	else
		enter_region(thread, region);
}

/* Calls that were open when recording stopped have no leave any more. */
static void forget_stopped(struct thread_notes *notes)
{
	if (notes->labelled_start != collector.starts)
		notes->labelled_count = 0;
	notes->labelled_start = collector.starts;
}

static bool push_labelled(struct thread_notes *notes, uint32_t plain, uint32_t labelled)
{
	if (!region_push(&notes->labelled, &notes->labelled_count, &notes->labelled_capacity,
			 plain))
		return false;
	if (region_push(&notes->labelled, &notes->labelled_count, &notes->labelled_capacity,
			labelled))
		return true;
	notes->labelled_count--;
	return false;
}

/* The region of this one call; 0 = the recording is full. */
static uint32_t region_of_call(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
			       const struct enter_source *source)
{
	if (word_action(word) == CODE_IMPORT)
		return label_intern_import(frame_first_argument(evaluated_by(source)));
	return label_intern_call(thread, code, source->frame ? source->frame : PyEval_GetFrame());
}

static bool is_innermost_labelled(const struct thread_notes *notes, uint32_t region)
{
	return notes->labelled_count >= 2 && notes->labelled[notes->labelled_count - 1] == region;
}

/* The region is pushed on a stack for the leave, even if there is none: the leave must not take an
 * outer call's. */
static bool enter_labelled(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
			   const struct enter_source *source)
{
	struct thread_notes *notes = thread_notes(thread);
	uint32_t region;

	if (!notes)
		return false;
	region = region_of_call(thread, code, word, source);
	forget_stopped(notes);
	if (word_action(word) == CODE_IMPORT && is_innermost_labelled(notes, region))
		region = 0; /* one function of the import machinery calls the other */
	if (!push_labelled(notes, word_region(word), region))
		return false;
	if (region)
		enter_recorded(thread, code, region, word, source);
	return true;
}

/* The innermost one of this code; the entries above it had no leave. */
static void leave_labelled(struct kymo_thread *thread, uint64_t word, enum kymo_event_kind kind)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes)
		return;
	forget_stopped(notes);
	for (size_t at = notes->labelled_count; at >= 2; at -= 2) {
		if (notes->labelled[at - 2] != word_region(word))
			continue;
		notes->labelled_count = at - 2;
		if (notes->labelled[at - 1])
			leave_region(thread, notes->labelled[at - 1], kind);
		return;
	}
}

/* A blocked thread still has to count the hidden calls inside a hidden subtree. */
static void enter_hidden(struct kymo_thread *thread)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes)
		return;
	notes->hidden_epoch = codecache.epoch;
	thread->hidden++;
	thread->blocked++;
}

static void leave_hidden(struct kymo_thread *thread)
{
	if (thread->hidden == 0)
		return;
	thread->hidden--;
	thread->blocked--;
}

/* The package's own imports hide everything that runs because of them.  Their own leave is found by
 * counting, since it does not contain the module.  True when it was one, or is within one. */
static bool enter_own_import(struct kymo_thread *thread, const struct enter_source *source)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes)
		return false;
	if (thread->hidden == 0)
		notes->own_imports = 0; /* of a revealed subtree */
	if (notes->own_imports == 0) {
		if (!label_is_own_import(frame_first_argument(evaluated_by(source))))
			return false;
		enter_hidden(thread);
	}
	notes->own_imports++;
	return true;
}

static bool leave_own_import(struct kymo_thread *thread)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes || notes->own_imports == 0 || thread->hidden == 0)
		return false;
	if (--notes->own_imports == 0)
		leave_hidden(thread);
	return true;
}

/* When decisions were renewed inside a hidden subtree, its outermost function may not hide it any
 * more, and its leave would not count: the subtree is revealed. */
static void reveal_renewed(struct kymo_thread *thread)
{
	struct thread_notes *notes = thread->hidden > 0 ? thread_notes(thread) : NULL;

	if (!notes || notes->hidden_epoch == codecache.epoch)
		return;
	thread->blocked -= thread->hidden;
	thread->hidden = 0;
}

/* Recorded as a region of each call. */
static bool has_label(uint64_t word)
{
	return word_action(word) == CODE_LABEL || word_action(word) == CODE_IMPORT;
}

static bool events_is_recorded(uint64_t word)
{
	return word_action(word) == CODE_RECORD || has_label(word);
}

static bool is_only_paused(const struct kymo_thread *thread)
{
	return thread->paused > 0 && thread->blocked == thread->paused;
}

/* The thread may be paused from several places: calls skipped by an earlier pause are forgotten. */
static void renew_pause(struct kymo_thread *thread, struct thread_notes *notes)
{
	if (notes->pause == thread->pauses)
		return;
	notes->pause = thread->pauses;
	notes->passed = 0;
}

/* A call that is not entered because of a pause; callers that do not know that at its leave count
 * it. */
static void events_skip(struct kymo_thread *thread, uint64_t word,
			const struct enter_source *source)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes || !events_is_recorded(word) || !is_only_paused(thread) || source->is_remembered)
		return;
	renew_pause(thread, notes);
	notes->passed++;
}

/* True when a leave in a blocked thread is of a call that was entered before its pause. */
static bool was_entered(struct kymo_thread *thread, bool is_remembered)
{
	struct thread_notes *notes = thread_notes(thread);

	if (!notes || !is_only_paused(thread))
		return false;
	renew_pause(thread, notes);
	if (is_remembered || notes->passed == 0)
		return true;
	notes->passed--;
	return false;
}

/* A thread without a record, or the scratch state of calibration: this decides nothing, but
 * generators in a trace get here with their identity. */
static bool is_unrecorded(const struct kymo_thread *thread, uint64_t word)
{
	return !collector.active || (!thread->record && (thread->blocked || !word_is_valid(word)));
}

bool events_enter_slow(struct kymo_thread *thread, PyCodeObject *code, uint64_t word,
		       const struct enter_source *source)
{
	KEEP_ERRNO();
	bool is_entered = true;

	if (is_unrecorded(thread, word))
		return false;
	kymo_admits(thread); /* blocked then reflects recording being switched off or on
			      * meanwhile */
	reveal_renewed(thread);
	if (!word_is_valid(word)) {
		if (thread->blocked > thread->hidden + thread->paused + thread->gated)
			return false; /* Kymo's own work: decide another time */
		word = codecache_decide(code);
	}
	if (word_action(word) == CODE_HIDE) {
		enter_hidden(thread);
	} else if (word_action(word) == CODE_IMPORT && enter_own_import(thread, source)) {
		/* nothing to enter, but a leave to count */
	} else if (thread->blocked) {
		events_skip(thread, word, source);
		is_entered = false;
	} else if (word_action(word) == CODE_RECORD) {
		enter_recorded(thread, code, word_region(word), word, source);
	} else {
		is_entered = has_label(word) && enter_labelled(thread, code, word, source);
	}
	return is_entered;
}

/* A word from before a renewal still shows what was entered. */
void events_leave_slow(struct kymo_thread *thread, uint64_t word, enum kymo_event_kind kind,
		       bool is_remembered)
{
	KEEP_ERRNO();

	if (is_unrecorded(thread, word))
		return;
	kymo_admits(thread);
	reveal_renewed(thread);
	if (word_action(word) == CODE_HIDE) {
		if (word_is_valid(word))
			leave_hidden(thread);
	} else if (word_action(word) == CODE_IMPORT && leave_own_import(thread)) {
		/* that was all */
	} else if (events_is_recorded(word) &&
		   (!thread->blocked || was_entered(thread, is_remembered))) {
		if (word_action(word) == CODE_RECORD)
			leave_region(thread, word_region(word), kind);
		else
			leave_labelled(thread, word, kind);
	}
}

/* Region of a C function called in a thread that is not blocked; 0 = not recorded. */
static uint32_t region_of_c(const struct c_label *label, PyCodeObject *caller)
{
	uint64_t word;

	if (label->action != CODE_UNDECIDED)
		return label->region;
	word = codecache_word(caller);
	if (kymo_unlikely(!word_is_valid(word)))
		word = codecache_decide(caller);
	return word & CODE_DROPS_C ? 0 : label->region;
}

static void events_enter_label(PyCodeObject *caller, const struct c_label *label)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t region;

	if (!label)
		return;
	if (kymo_unlikely(label->action == CODE_HIDE))
		enter_hidden(thread);
	if (!kymo_admits(thread))
		return;
	region = region_of_c(label, caller);
	if (region)
		enter_region(thread, region);
}

static void events_leave_label(PyCodeObject *caller, const struct c_label *label,
			       enum kymo_event_kind kind)
{
	struct kymo_thread *thread = kymo_thread();
	uint32_t region;

	if (!label)
		return;
	if (kymo_unlikely(label->action == CODE_HIDE)) {
		leave_hidden(thread);
		return;
	}
	region = kymo_admits(thread) ? region_of_c(label, caller) : 0;
	if (region)
		leave_region(thread, region, kind);
}

void events_enter_c(PyCodeObject *caller, PyObject *callable)
{
	events_enter_label(caller, label_intern_c(callable));
}

void events_leave_c(PyCodeObject *caller, PyObject *callable, enum kymo_event_kind kind)
{
	events_leave_label(caller, label_intern_c(callable), kind);
}

bool events_enter_known_c(PyCodeObject *caller, PyObject *callable)
{
	const struct c_label *label;

	if (!word_is_valid(codecache_word(caller)) || !label_find_c(callable, &label))
		return false;
	events_enter_label(caller, label);
	return true;
}

bool events_leave_known_c(PyCodeObject *caller, PyObject *callable)
{
	const struct c_label *label;

	if (!word_is_valid(codecache_word(caller)) || !label_find_c(callable, &label))
		return false;
	events_leave_label(caller, label, KYMO_EVENT_LEAVE);
	return true;
}
