kymo report "$RUN2" --histogram worker --bins 2
