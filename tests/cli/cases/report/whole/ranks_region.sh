kymo report "$RUN2" --ranks --region worker --format csv
