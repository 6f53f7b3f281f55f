kymo report "$RUN" --hot-path --above 100 --format csv
