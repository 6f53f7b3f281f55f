! One call of everything in the module kymo; prints the results, and says nothing else.
program annotate_all
   use, intrinsic :: iso_c_binding
   use kymo
   implicit none
   integer :: status, i

   call kymo_thread_label("fortran")
   call kymo_phase_begin("all of it")
   do i = 1, 4
      call kymo_parameter("n", mod(i, 2))
      call kymo_region_begin("step  ")
      call kymo_progress("steps")
      call kymo_counter_add("items", "1", 2.0_c_double)
      call kymo_region_end("step")
   end do
   call kymo_parameter("solver", "cg")
   call kymo_region_begin("solve")
   call kymo_region_end("solve")
   call kymo_counter_set("residual", "", 0.5_c_double)
   call kymo_instant("converged")
   call kymo_message_send("result", 7_c_int64_t)
   call kymo_message_receive("result", 7_c_int64_t)
   call kymo_progress_begin("job")
   call kymo_progress_end("job")
   call kymo_thread_stop()
   call kymo_region_begin("not seen", status)
   write (*, '(a,i0)') "stopped ", status
   call kymo_region_end("not seen")
   call kymo_thread_start()
   call kymo_region_end("never begun", status)
   write (*, '(a,i0)') "not open ", status
   call kymo_phase_end("all of it", status)
   write (*, '(a,i0)') "end ", status
   call kymo_stop(status)
   call kymo_start(status)
   write (*, '(a,i0)') "start ", status
   call kymo_start(status)
   write (*, '(a,i0)') "again ", status
   call kymo_snapshot("done", status)
   write (*, '(a,i0)') "snapshot ", status
   write (*, '(a,l1)') "loaded ", kymo_is_loaded()
end program annotate_all
