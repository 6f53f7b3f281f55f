# status: 2
kymo report "$RUN" "$RUN2"
