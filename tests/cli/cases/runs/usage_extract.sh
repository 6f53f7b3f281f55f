# status: 2
kymo extract -o only "$RUN"
