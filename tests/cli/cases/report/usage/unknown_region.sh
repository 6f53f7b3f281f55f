# status: 2
kymo report "$RUN" --callers fibb
