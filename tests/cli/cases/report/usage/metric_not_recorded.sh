# status: 1
kymo report "$RUN" --metric peak_rss
