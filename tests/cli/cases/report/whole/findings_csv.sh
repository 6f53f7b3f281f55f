# Long enough to be most of the run, whatever the start takes.
printf 'def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nfib(27)\n' >deep.py
PYTHONPATH=$(dirname $(dirname $(command -v kymo)))/python KYMO_OUTPUT_PATH=out KYMO_TIME_OUTPUT=OFF "$PYTHON" -m kymo -q deep.py
kymo report out --findings --format csv | grep -E "^seconds|own lines,butterfly,fib|recursion"
