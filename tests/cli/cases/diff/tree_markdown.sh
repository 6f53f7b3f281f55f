ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff --tree --format markdown --filter '^fib$' --top 2 a b
