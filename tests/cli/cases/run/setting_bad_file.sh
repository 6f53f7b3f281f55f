# status: 1
# A configuration file that cannot be used is said with its line.
echo "nonsense" > bad.cfg
KYMO_CONFIG_FILE=bad.cfg kymo report "$RUN"
