kymo report "$RUN" --tree --filter "^ineff" --format csv | cut -d, -f4-5
