KYMO_FLAT_PROFILE=ON KYMO_COLLAPSE_THREADS=ON kymo report "$RUN" --metric trip_count
