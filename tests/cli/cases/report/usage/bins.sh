# status: 2
kymo report "$RUN" --histogram fib --bins 1001
