# status: 2
kymo report -x "$RUN"
