kymo report "$RUN" --butterfly fib
