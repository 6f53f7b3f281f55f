# status: 2
kymo report "$RUN" --callers fib --filter x
