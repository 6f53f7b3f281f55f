# The settings of now as a preset; the file is as good as standard output.
kymo run -F --max-depth=3 --periods= --preset profile-only --export-config=all.json
kymo run --preset all.json --export-config | diff all.json -
kymo run --preset all.json --export-config | sed -n '1,5p;/profiling/,/}/p'
