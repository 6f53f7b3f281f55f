# status: 2
kymo report "$RUN" --hot-path --above 101
