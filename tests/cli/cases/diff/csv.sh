ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff --filter '^(fib|main)$' --format csv --sort name a b
