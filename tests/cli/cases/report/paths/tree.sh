kymo report "$RUN" --tree --top 4
