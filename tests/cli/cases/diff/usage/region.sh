# status: 2
kymo diff "$RUN" "$RUN" --fail-if "total:no_such_region>5%"
