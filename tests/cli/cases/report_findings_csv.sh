kymo report "$RUN" --findings --format csv | grep -E "^seconds|own lines,butterfly,fib|recursion"
