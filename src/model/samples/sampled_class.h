/* What a thread did when it was sampled, by where its stack ends, and what the sample weighs. */
#ifndef KYMO_SAMPLED_CLASS_H
#define KYMO_SAMPLED_CLASS_H

#include "model/samples/sampled_kinds.h"
#include "model/samples/samples.h"

struct sampled_call;

const char *sampled_class_name(enum sampled_class class);

/* What a thread did whose stack ends with these innermost frames. */
struct sampled_leaf {
	enum sampled_class class;	 /* that of its code */
	const struct sampled_call *call; /* it is in, or NULL */
	uint64_t content;		 /* of the kernel's frame */
	bool is_python;			 /* a Python frame itself */
	bool is_gil_wait;
	bool is_in_kernel;
};

enum sampled_class sampled_classify(const struct sampled_leaf *leaf, const struct sample *sample);
/* It computes, or would. */
bool sampled_is_running(enum sampled_class class);

/* What samples count in these tables: kinds, and which clock weighs. */
struct sampled_scale {
	enum kymo_sample_kind wall_kind, cpu_kind; /* KYMO_SAMPLE_KINDS = there is none */
};
struct sampled_scale sampled_scale(const struct samples *samples);

enum sampled_weight {
	SAMPLED_WALL,
	SAMPLED_CPU,
	SAMPLED_EVENTS,
	SAMPLED_WAITING, /* of SAMPLED_WALL: beside the others, none to choose */
	SAMPLED_WEIGHTS
};
/* The weight that options ask for. */
enum sampled_weight sampled_weight_of(const struct sampled_scale *scale, enum sampled_by by);
/* The weights of a sample; NAN = it is not of that kind.  CPU time of samples that found the
 * thread waiting is carried on to the next one that did not: it was used before. */
void sampled_weigh(const struct sampled_scale *scale, const struct sample *sample,
		   enum sampled_class class, double *carried_ns, double out[SAMPLED_WEIGHTS]);

#endif
