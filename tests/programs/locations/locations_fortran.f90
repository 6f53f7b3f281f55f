! For test_locations.py: procedures of a module and inside of others.
module numbers
contains
  subroutine fill(a, n)
    integer, intent(in) :: n
    real, intent(out) :: a(n)
    integer :: i
    do i = 1, n
      a(i) = twice(real(i))
    end do
  contains
    real function twice(x)
      real, intent(in) :: x
      twice = x * 2.0
    end function
  end subroutine
end module
program sums
  use numbers
  real :: a(100)
  call fill(a, 100)
  call show(sum(a))
end program
subroutine show(x)
  real :: x
  print *, x
end subroutine
