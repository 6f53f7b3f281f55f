# status: 2
kymo diff "$RUN" "$RUN" --fail-if "total:run>5"
