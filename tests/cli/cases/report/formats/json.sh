kymo report "$RUN" --sort calls --format json | "$PYTHON" -c '
import json, sys
report = json.load(sys.stdin)
print(report["program"], report["processes"], report["threads"], report["calls"], report["losses"])
for region in report["regions"]:
    print(region["name"], region["calls"], region["primitive_calls"], region["open"])
'
