# status: 2
kymo diff "$RUN" "$RUN" --min-change 5
