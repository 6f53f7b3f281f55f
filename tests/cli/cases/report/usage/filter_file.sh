# status: 2
kymo report --flat --filter-file rules "$RUN"
