kymo report "$RUN2" --threads --format csv | cut -d, -f2,6
