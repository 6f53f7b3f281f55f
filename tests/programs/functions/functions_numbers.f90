! Fortran: recursion, array results, internal and contained procedures, OpenMP, files, stop.
module numbers
  implicit none
  type :: shape
    real(8) :: size = 1
  contains
    procedure :: area => shape_area
  end type
  type, extends(shape) :: circle
  contains
    procedure :: area => circle_area
  end type
contains
  recursive function fibonacci(n) result(value)
    integer, intent(in) :: n
    integer(8) :: value
    if (n < 2) then
      value = n
    else
      value = fibonacci(n - 1) + fibonacci(n - 2)
    end if
  end function
  function row(n) result(values)
    integer, intent(in) :: n
    real(8) :: values(n)
    integer :: i
    values = [(sqrt(real(i, 8)), i = 1, n)]
  end function
  function text_of(n) result(text)
    integer, intent(in) :: n
    character(len=:), allocatable :: text
    text = repeat('ab', n)
  end function
  complex(16) function rotated(value)
    complex(16), intent(in) :: value
    rotated = value * (0.0_16, 1.0_16) + 1
  end function
  real(8) function shape_area(self)
    class(shape), intent(in) :: self
    shape_area = self%size
  end function
  real(8) function circle_area(self)
    class(circle), intent(in) :: self
    circle_area = 3 * self%size**2
  end function
  real(8) function applied(f, x)
    interface
      real(8) function f(x)
        real(8), intent(in) :: x
      end function
    end interface
    real(8), intent(in) :: x
    applied = f(x) + f(x + 1)
  end function
end module

program main
  use numbers
  use omp_lib
  implicit none
  integer :: i, unit
  integer(8) :: count
  real(8) :: total, by
  real(8), allocatable :: matrix(:, :)
  class(shape), allocatable :: one
  character(len=20) :: line
  print *, fibonacci(20), sum(row(100)), text_of(5)
  print *, rotated((1.0_16, 2.0_16))
  allocate(circle :: one)
  one%size = 4
  print *, one%area()
  by = 2
  print *, applied(scaled, 3.0d0)
  matrix = reshape([(real(mod(i * 7, 13), 8), i = 1, 400)], [20, 20])
  print '(F14.4)', sum(matmul(matrix, transpose(matrix)))
  count = 0
  total = 0
  call omp_set_num_threads(4)
  !$omp parallel do reduction(+:count, total) schedule(dynamic)
  do i = 1, 200
    count = count + fibonacci(mod(i, 12))
    total = total + sum(row(mod(i, 50) + 1)) / 1024
  end do
  !$omp end parallel do
  print *, count, nint(total * 1000)
  open(newunit=unit, status='scratch')
  do i = 1, 100
    write(unit, '(I6)') i * i
  end do
  rewind(unit)
  do i = 1, 100
    read(unit, '(A)') line
  end do
  print *, trim(adjustl(line))
  stop 5
contains
  real(8) function scaled(x)
    real(8), intent(in) :: x
    scaled = x * by
  end function
end program
