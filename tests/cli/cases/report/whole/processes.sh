kymo report "$RUN2" --processes --format csv | cut -d, -f5-
