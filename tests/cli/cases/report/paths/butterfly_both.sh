kymo report "$RUN" --callers fib --callees fib --format csv
