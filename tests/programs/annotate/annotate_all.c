/* Everything of <kymo/kymo.h> once, also in C++; prints the name and the result of each call. */
#include <kymo/kymo.h>
#include <pthread.h>
#include <stdio.h>

#define SAY(call) printf("%s %d\n", #call, call)

static void function(int value)
{
	KYMO_FUNCTION();
	KYMO_REGION("block");
	KYMO_COUNTER_SET("queue", "items", value);
	KYMO_COUNTER_ADD("sum", "B", value);
	KYMO_INSTANT("mark");
	KYMO_PROGRESS;
	KYMO_PROGRESS_NAMED("units");
	KYMO_PROGRESS_BEGIN("job");
	KYMO_PROGRESS_END("job");
}

static void *worker(void *unused)
{
	(void)unused;
	kymo_thread_label("worker");
	kymo_message_receive("request", 17);
	KYMO_REGION_BEGIN("work");
	KYMO_REGION_END("work");
	return NULL;
}

static void values(void)
{
	struct kymo_value all[] = {
		KYMO_VALUE("number", -5),	  KYMO_VALUE("natural", 5u),
		KYMO_VALUE("real", 0.25f),	  KYMO_VALUE("text", "hello"),
		kymo_value_pointer("where", all), kymo_value_uint("most", UINT64_MAX),
	};

	SAY(kymo_region_begin_with("valued", all, 6));
	SAY(kymo_instant_with("thing", all, 2));
	SAY(kymo_progress_with("valued units", all, 1));
	SAY(kymo_region_end_with("valued", &all[3], 1));
}

static void regions(void)
{
	SAY(kymo_phase_begin("phase"));
	SAY(kymo_parameter_int("n", -1));
	SAY(kymo_parameter_uint("n", 2));
	SAY(kymo_parameter_text("solver", "cg"));
	SAY(kymo_region_begin("by name"));
	SAY(kymo_region_end("by name"));
	SAY(kymo_progress("units"));
	SAY(kymo_progress_begin("job"));
	SAY(kymo_progress_end("job"));
	SAY(kymo_phase_end("phase"));
	SAY(kymo_region_end("never begun"));
	SAY(kymo_region_begin(NULL));
	KYMO_PHASE_BEGIN("second");
	KYMO_PHASE_END("second");
}

static void control(void)
{
	struct kymo_callbacks now;

	SAY(kymo_thread_stop());
	SAY(kymo_region_begin("unseen"));
	SAY(kymo_region_end("unseen"));
	SAY(kymo_thread_start());
	SAY(kymo_stop());
	SAY(kymo_region_begin("unseen"));
	SAY(kymo_region_end("unseen"));
	SAY(kymo_start());
	SAY(kymo_start());
	SAY(kymo_callbacks_get(&now));
	SAY(kymo_configure(KYMO_CONFIGURE_UNION, &now, NULL));
	SAY(kymo_snapshot("now"));
}

int main(void)
{
	pthread_t thread;

	SAY(kymo_is_loaded());
	SAY(kymo_thread_label("boss"));
	function(3);
	function(4);
	values();
	regions();
	SAY(kymo_message_send("request", 17));
	if (pthread_create(&thread, NULL, worker, NULL) == 0)
		pthread_join(thread, NULL);
	SAY(kymo_counter_set("queue", "items", 9));
	SAY(kymo_counter_add("sum", "B", 1.5));
	control();
	return 0;
}
