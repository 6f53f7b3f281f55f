# status: 2
kymo report "$RUN" --sort size
