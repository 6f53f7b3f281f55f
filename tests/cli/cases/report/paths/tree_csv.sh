kymo report "$RUN" --tree --sort name --format csv | cut -d, -f4-
