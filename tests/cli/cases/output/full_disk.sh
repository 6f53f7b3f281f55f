# status: 1
kymo report "$RUN" > /dev/full
