kymo report "$RUN" --metric wall_clock | head -8
