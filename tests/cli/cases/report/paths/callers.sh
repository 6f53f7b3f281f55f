kymo report "$RUN" --callers fib
