kymo report "$RUN" --metric trip_count
