# status: 2
kymo report "$RUN" --process 1
