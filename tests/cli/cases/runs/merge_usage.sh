# status: 2
kymo merge "$RUN"
echo "status $?"
kymo merge -o out
echo "status $?"
kymo merge -o out --memory 0 "$RUN"
