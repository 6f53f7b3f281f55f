# status: 2
kymo report "$RUN" --ranks --region fib --filter x
