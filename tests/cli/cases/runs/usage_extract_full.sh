# status: 2
mkdir full; touch full/file
kymo extract --region fib -o full "$RUN"
