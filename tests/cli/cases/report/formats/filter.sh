kymo report "$RUN" --filter "^(fib|run)$" --sort name --format csv | cut -d, -f4,6
