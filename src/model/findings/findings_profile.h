/* What stands out in the profile: where the time is, and what is behind it. */
#ifndef KYMO_FINDINGS_PROFILE_H
#define KYMO_FINDINGS_PROFILE_H

struct findings_builder;

/* Add what there is of the profile; without memory builder->has_failed is set. */
void findings_of_profile(struct findings_builder *builder);

#endif
