kymo report "$RUN2" --thread 1 --sort name --format csv | cut -d, -f4,6
