# status: 2
kymo report "$RUN" --thread 7
