# status: 2
kymo report --clalers fib "$RUN"
