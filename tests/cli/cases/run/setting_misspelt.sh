KYMO_PRECISON=3 kymo report "$RUN" --metric trip_count | head -1
