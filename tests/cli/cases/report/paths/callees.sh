kymo report "$RUN" --callees run
