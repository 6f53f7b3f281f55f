# status: 2
kymo report --xyzzy "$RUN"
