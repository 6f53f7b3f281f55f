kymo extract --region fib -o only "$RUN" && kymo report only --tree --top 2 --format csv
