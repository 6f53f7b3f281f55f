# status: 2
kymo diff --base "$RUN" --fail-if "total:run>5%" "$RUN2"
