# status: 2
kymo report "$RUN" --tree --flat
