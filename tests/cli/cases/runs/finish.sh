# The settings of the run are kept in the recording: this one was quiet.
cp -r "$RUN" run
rm run/*.txt run/*.json
kymo finish run
ls run | sed 's/-[0-9]*[.]kymo/-PID.kymo/'
head -3 run/trip_count.txt
