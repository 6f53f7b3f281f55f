# status: 2
kymo diff "$RUN" "$RUN" --fail-if "peak_rss:run>5%" 2>&1 | sed "s/.*has no/has no/"; exit 2
