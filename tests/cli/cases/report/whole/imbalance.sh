kymo report "$RUN2" --imbalance --filter worker
