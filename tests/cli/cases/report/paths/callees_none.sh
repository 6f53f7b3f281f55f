kymo report "$RUN" --callees inefficient
