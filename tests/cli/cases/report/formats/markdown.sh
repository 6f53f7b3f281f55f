kymo report "$RUN" --format markdown --sort name
