/* A program that names what matters in it:
 *
 *	cc -Iinclude demo/annotated.c -pthread -lm -o annotated
 *	kymo run --trace -- ./annotated
 *
 * Tides are worked out for some harbours; a second thread writes them down. */
#include <kymo/kymo.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#define HARBOURS 4
#define HOURS	 20000

static double tides[HARBOURS];

static double tide(int harbour)
{
	double height = 0;

	KYMO_FUNCTION();
	for (int hour = 0; hour < HOURS; hour++)
		height += sin(hour * 0.5059 + harbour) + 0.3 * sin(hour * 0.5236);
	return height / HOURS;
}

static void *write_down(void *unused)
{
	double sum = 0;

	(void)unused;
	kymo_thread_label("writer");
	kymo_message_receive("tides", 1);
	for (int i = 0; i < HARBOURS; i++)
		sum += tides[i];
	printf("mean tide %.4f\n", sum / HARBOURS);
	return NULL;
}

int main(void)
{
	pthread_t writer;

	kymo_thread_label("reckoner");
	KYMO_PHASE_BEGIN("reckoning");
	for (int harbour = 0; harbour < HARBOURS; harbour++) {
		kymo_parameter_int("harbour", harbour);
		tides[harbour] = tide(harbour);
		KYMO_COUNTER_SET("height", "m", tides[harbour]);
		KYMO_PROGRESS_NAMED("harbours");
	}
	KYMO_PHASE_END("reckoning");
	kymo_message_send("tides", 1);
	if (pthread_create(&writer, NULL, write_down, NULL) == 0)
		pthread_join(writer, NULL);
	return 0;
}
