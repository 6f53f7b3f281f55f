# status: 2
kymo report "$RUN" --ranks --group rank
