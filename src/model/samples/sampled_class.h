/* What a thread did when it was sampled, by the innermost frames of its stack, and the weight of
 * the sample. */
#ifndef KYMO_SAMPLED_CLASS_H
#define KYMO_SAMPLED_CLASS_H

#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"

struct sampled_call;

const char *sampled_class_name(enum sampled_class class);

/* The class of a thread whose stack ends with these innermost frames. */
struct sampled_leaf {
	enum sampled_class class;	 /* of its code */
	const struct sampled_call *call; /* that it is in, or NULL */
	uint64_t content;		 /* of the kernel's frame */
	bool is_python;			 /* the innermost frame is a Python frame */
	bool is_gil_wait;
	bool is_in_kernel;
};

enum sampled_class sampled_classify(const struct sampled_leaf *leaf, const struct sample *sample);
/* It computes, or would if it had a processor. */
bool sampled_is_running(enum sampled_class class);

/* Which samples count in these tables: kinds, and which clock is the weight. */
struct sampled_scale {
	enum kymo_sample_kind wall_kind, cpu_kind; /* KYMO_SAMPLE_KINDS = there is none */
};
struct sampled_scale sampled_scale(const struct samples *samples);

enum sampled_weight {
	SAMPLED_WALL,
	SAMPLED_CPU,
	SAMPLED_EVENTS,
	SAMPLED_WAITING, /* of SAMPLED_WALL: additional, not selectable */
	SAMPLED_WEIGHTS
};
/* The weight that the options select. */
enum sampled_weight sampled_weight_of(const struct sampled_scale *scale, enum sampled_by by);
/* The weights of a sample; NAN = it is not of that kind.  CPU time of samples that found the thread
 * waiting is carried on to the next one that did not: it was used before the wait. */
void sampled_weigh(const struct sampled_scale *scale, const struct sample *sample,
		   enum sampled_class class, double *carried_ns, double out[SAMPLED_WEIGHTS]);

#endif
