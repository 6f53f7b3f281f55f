/* Another tool that evaluates frames: counts them and passes them on to who was there. */
typedef void *(*evaluate_fn)(void *thread, void *frame, int throw_flag);

evaluate_fn before;
long count;

void *evaluate(void *thread, void *frame, int throw_flag)
{
	count++;
	return before(thread, frame, throw_flag);
}
