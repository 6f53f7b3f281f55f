# status: 2
kymo report "$RUN" --top
