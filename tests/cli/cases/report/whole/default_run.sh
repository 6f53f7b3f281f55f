# The newest run below the working directory.
cp -r "$RUN" older
cp -r "$RUN2" newer
touch newer/*.kymo
touch -d '1 hour ago' older/*.kymo
kymo report | head -1
