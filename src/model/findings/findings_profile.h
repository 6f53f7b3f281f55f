/* Findings about the profile: where the time is spent, and why. */
#ifndef KYMO_FINDINGS_PROFILE_H
#define KYMO_FINDINGS_PROFILE_H

struct findings_builder;

/* Add the findings about the profile; out of memory sets builder->has_failed. */
void findings_of_profile(struct findings_builder *builder);

#endif
