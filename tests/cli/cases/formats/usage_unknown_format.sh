# status: 2
kymo export "$RUN" --format pstat
