kymo report "$RUN" --flat --sort calls --format csv | cut -d, -f4,6-7,9-10
