kymo report "$RUN" --hot-path
