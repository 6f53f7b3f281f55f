ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff a b --format json --filter '^main$' --fail-if 'calls:run>1000000x' 2>/dev/null
