/* A library that takes some of the room for static thread-local storage: compiled many
 * times with another SIZE. */
#ifndef SIZE
#define SIZE 64
#endif
static __thread char room[SIZE] __attribute__((tls_model("initial-exec"), used));

char *tls_room(void)
{
	return room;
}
