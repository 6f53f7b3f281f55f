kymo report "$RUN" --metric trip_count --format csv | head -4
