# status: 2
kymo export "$RUN"
