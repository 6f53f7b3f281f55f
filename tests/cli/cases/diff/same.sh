ln -s "$RUN" a; ln -s "$RUN2" b
kymo diff a a
