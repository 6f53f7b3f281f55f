# status: 2
kymo diff "$RUN"
