! Annotate a Fortran program: what <kymo/kymo.h> is for C.
!
!     use kymo
!     call kymo_region_begin("solve")
!     ...
!     call kymo_region_end("solve")
!
! Compile this file along with the program; nothing has to be linked.  If Kymo is not loaded,
! every call returns at once.  Each subroutine takes a last, optional argument that gets the
! result: kymo_success, or an error.  Trailing blanks of names are removed.
!
! The table of functions is that of <kymo/abi.h>, found by its global symbol.
module kymo
   use, intrinsic :: iso_c_binding
   implicit none
   private

   public :: kymo_is_loaded
   public :: kymo_region_begin, kymo_region_end, kymo_phase_begin, kymo_phase_end
   public :: kymo_parameter, kymo_instant, kymo_message_send, kymo_message_receive
   public :: kymo_counter_set, kymo_counter_add
   public :: kymo_progress, kymo_progress_begin, kymo_progress_end
   public :: kymo_thread_label, kymo_start, kymo_stop, kymo_thread_start, kymo_thread_stop
   public :: kymo_snapshot

   integer, parameter, public :: kymo_success = 0, kymo_not_loaded = 1, kymo_bad_value = 2, &
      kymo_not_open = 3, kymo_reordered = 4, kymo_off = 5, kymo_internal = 6

   interface kymo_parameter
      module procedure parameter_int, parameter_long, parameter_text
   end interface

   ! struct kymo_api, in its order
   type, bind(C) :: api_table
      integer(c_size_t) :: size
      type(c_funptr) :: site_begin, site_end, site_mark, site_count
      type(c_funptr) :: region_begin, region_end, region_begin_with, region_end_with
      type(c_funptr) :: phase_begin, phase_end, parameter, instant
      type(c_funptr) :: message_send, message_receive
      type(c_funptr) :: progress, progress_with, progress_begin, progress_end
      type(c_funptr) :: counter_set, counter_add, thread_label
      type(c_funptr) :: start, stop, thread_start, thread_stop, snapshot, configure
   end type api_table

   ! struct kymo_value; bits hold the number or the address of the text
   type, bind(C) :: value_record
      type(c_ptr) :: name
      integer(c_int64_t) :: type, bits
   end type value_record

   integer(c_int64_t), parameter :: type_text = 1, type_signed = 2
   integer(c_int), parameter :: api_version = 1

   type(api_table), pointer :: api => null()
   integer(c_int64_t) :: asked = 0

   interface
      function dlsym(handle, name) bind(C, name="dlsym") result(address)
         import :: c_ptr, c_funptr, c_char
         type(c_ptr), value :: handle
         character(kind=c_char), intent(in) :: name(*)
         type(c_funptr) :: address
      end function dlsym
   end interface

   abstract interface
      function get_fn(version) bind(C) result(table)
         import :: c_int, c_ptr
         integer(c_int), value :: version
         type(c_ptr) :: table
      end function get_fn
      function call_fn() bind(C) result(outcome)
         import :: c_int
         integer(c_int) :: outcome
      end function call_fn
      function name_fn(name) bind(C) result(outcome)
         import :: c_int, c_char
         character(kind=c_char), intent(in) :: name(*)
         integer(c_int) :: outcome
      end function name_fn
      function values_fn(name, values, count) bind(C) result(outcome)
         import :: c_int, c_char, c_ptr, c_size_t
         character(kind=c_char), intent(in) :: name(*)
         type(c_ptr), value :: values
         integer(c_size_t), value :: count
         integer(c_int) :: outcome
      end function values_fn
      function message_fn(name, id) bind(C) result(outcome)
         import :: c_int, c_char, c_int64_t
         character(kind=c_char), intent(in) :: name(*)
         integer(c_int64_t), value :: id
         integer(c_int) :: outcome
      end function message_fn
      function counter_fn(name, unit, amount) bind(C) result(outcome)
         import :: c_int, c_char, c_double
         character(kind=c_char), intent(in) :: name(*), unit(*)
         real(c_double), value :: amount
         integer(c_int) :: outcome
      end function counter_fn
      function parameter_fn(parameter) bind(C) result(outcome)
         import :: c_int, value_record
         type(value_record), intent(in) :: parameter
         integer(c_int) :: outcome
      end function parameter_fn
   end interface

contains

   ! ---- the table ---------------------------------------------------------------

   ! It may appear while the program runs: it is searched for at the 1st, 2nd, 4th, 8th ... call.
   logical function kymo_is_loaded()
      type(c_funptr) :: address
      type(c_ptr) :: table
      procedure(get_fn), pointer :: get

      kymo_is_loaded = associated(api)
      if (kymo_is_loaded) return
      asked = asked + 1
      if (iand(asked, asked - 1) /= 0) return
      address = dlsym(c_null_ptr, "kymo_api_get"//c_null_char)
      if (.not. c_associated(address)) return
      call c_f_procpointer(address, get)
      table = get(api_version)
      if (.not. c_associated(table)) return
      call c_f_pointer(table, api)
      kymo_is_loaded = .true.
   end function kymo_is_loaded

   subroutine give(outcome, status)
      integer(c_int), intent(in) :: outcome
      integer, intent(out), optional :: status

      if (present(status)) status = int(outcome)
   end subroutine give

   subroutine call_plain(address, status)
      type(c_funptr), intent(in) :: address
      integer, intent(out), optional :: status
      procedure(call_fn), pointer :: function

      call c_f_procpointer(address, function)
      call give(function(), status)
   end subroutine call_plain

   subroutine call_name(address, name, status)
      type(c_funptr), intent(in) :: address
      character(*), intent(in) :: name
      integer, intent(out), optional :: status
      procedure(name_fn), pointer :: function

      call c_f_procpointer(address, function)
      call give(function(trim(name)//c_null_char), status)
   end subroutine call_name

   subroutine call_message(address, name, id, status)
      type(c_funptr), intent(in) :: address
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: id
      integer, intent(out), optional :: status
      procedure(message_fn), pointer :: function

      call c_f_procpointer(address, function)
      call give(function(trim(name)//c_null_char, id), status)
   end subroutine call_message

   subroutine call_counter(address, name, unit, amount, status)
      type(c_funptr), intent(in) :: address
      character(*), intent(in) :: name, unit
      real(c_double), intent(in) :: amount
      integer, intent(out), optional :: status
      procedure(counter_fn), pointer :: function

      call c_f_procpointer(address, function)
      call give(function(trim(name)//c_null_char, trim(unit)//c_null_char, amount), status)
   end subroutine call_counter

   ! ---- regions and phases --------------------------------------------------------

   subroutine kymo_region_begin(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%region_begin, name, status)
   end subroutine kymo_region_begin

   subroutine kymo_region_end(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%region_end, name, status)
   end subroutine kymo_region_end

   subroutine kymo_phase_begin(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%phase_begin, name, status)
   end subroutine kymo_phase_begin

   subroutine kymo_phase_end(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%phase_end, name, status)
   end subroutine kymo_phase_end

   ! ---- parameters -------------------------------------------------------------------

   subroutine give_parameter(name, type, bits, status)
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: type, bits
      integer, intent(out), optional :: status
      character(kind=c_char, len=:), allocatable, target :: text
      type(value_record) :: value
      procedure(parameter_fn), pointer :: function

      text = trim(name)//c_null_char
      value = value_record(c_loc(text), type, bits)
      call c_f_procpointer(api%parameter, function)
      call give(function(value), status)
   end subroutine give_parameter

   subroutine parameter_int(name, value, status)
      character(*), intent(in) :: name
      integer(c_int), intent(in) :: value
      integer, intent(out), optional :: status

      call parameter_long(name, int(value, c_int64_t), status)
   end subroutine parameter_int

   subroutine parameter_long(name, value, status)
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: value
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call give_parameter(name, type_signed, value, status)
   end subroutine parameter_long

   subroutine parameter_text(name, value, status)
      character(*), intent(in) :: name, value
      integer, intent(out), optional :: status
      character(kind=c_char, len=:), allocatable, target :: text

      call give(kymo_not_loaded, status)
      if (.not. kymo_is_loaded()) return
      text = trim(value)//c_null_char
      call give_parameter(name, type_text, transfer(c_loc(text), 0_c_int64_t), status)
   end subroutine parameter_text

   ! ---- instants, messages, counters ----------------------------------------------------

   subroutine kymo_instant(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status
      procedure(values_fn), pointer :: function

      call give(kymo_not_loaded, status)
      if (.not. kymo_is_loaded()) return
      call c_f_procpointer(api%instant, function)
      call give(function(trim(name)//c_null_char, c_null_ptr, 0_c_size_t), status)
   end subroutine kymo_instant

   subroutine kymo_message_send(name, id, status)
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: id
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_message(api%message_send, name, id, status)
   end subroutine kymo_message_send

   subroutine kymo_message_receive(name, id, status)
      character(*), intent(in) :: name
      integer(c_int64_t), intent(in) :: id
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_message(api%message_receive, name, id, status)
   end subroutine kymo_message_receive

   subroutine kymo_counter_set(name, unit, value, status)
      character(*), intent(in) :: name, unit
      real(c_double), intent(in) :: value
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_counter(api%counter_set, name, unit, value, status)
   end subroutine kymo_counter_set

   subroutine kymo_counter_add(name, unit, change, status)
      character(*), intent(in) :: name, unit
      real(c_double), intent(in) :: change
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_counter(api%counter_add, name, unit, change, status)
   end subroutine kymo_counter_add

   ! ---- progress points --------------------------------------------------------------------

   subroutine kymo_progress(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%progress, name, status)
   end subroutine kymo_progress

   subroutine kymo_progress_begin(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%progress_begin, name, status)
   end subroutine kymo_progress_begin

   subroutine kymo_progress_end(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%progress_end, name, status)
   end subroutine kymo_progress_end

   ! ---- control ---------------------------------------------------------------------------------

   subroutine kymo_thread_label(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%thread_label, name, status)
   end subroutine kymo_thread_label

   subroutine kymo_start(status)
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_plain(api%start, status)
   end subroutine kymo_start

   subroutine kymo_stop(status)
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_plain(api%stop, status)
   end subroutine kymo_stop

   subroutine kymo_thread_start(status)
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_plain(api%thread_start, status)
   end subroutine kymo_thread_start

   subroutine kymo_thread_stop(status)
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_plain(api%thread_stop, status)
   end subroutine kymo_thread_stop

   subroutine kymo_snapshot(name, status)
      character(*), intent(in) :: name
      integer, intent(out), optional :: status

      call give(kymo_not_loaded, status)
      if (kymo_is_loaded()) call call_name(api%snapshot, name, status)
   end subroutine kymo_snapshot

end module kymo
