/* The hooks of -finstrument-functions, which do nothing. */
void __cyg_profile_func_enter(void *function, void *caller);
void __cyg_profile_func_exit(void *function, void *caller);

void __cyg_profile_func_enter(void *function, void *caller)
{
	(void)function, (void)caller;
}

void __cyg_profile_func_exit(void *function, void *caller)
{
	(void)function, (void)caller;
}
