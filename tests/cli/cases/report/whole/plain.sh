kymo report "$RUN" --sort calls
