# status: 2
kymo report "$RUN" --metric wallclock
