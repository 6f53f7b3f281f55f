# status: 2
kymo report "$RUN" --filter "fib("
