kymo export "$RUN" --format collapsed
ls
