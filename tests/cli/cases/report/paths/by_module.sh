kymo report "$RUN2" --by-module --sort calls --filter process
