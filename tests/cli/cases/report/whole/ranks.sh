kymo report "$RUN2" --ranks --group process
