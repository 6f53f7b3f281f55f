ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff --sort name --filter '^(fib|main|run|worker)$' a b
