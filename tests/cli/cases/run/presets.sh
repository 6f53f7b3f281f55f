# What a preset sets, and what it loses.
# status: 2
KYMO_PRESET_DIR=$PWD; export KYMO_PRESET_DIR
cat > mine.json <<'END'
{
	"metadata": {"name": "mine", "description": "A preset of one's own"},
	"tracing": {"enabled": true, "fill_policy": "discard"},
	"sampling": {"enabled": false},
	"domains": {"parallel": ["mpi", "openmp"]},
	"settings": {"PYTHON_LABEL": ["args", "file"]}
}
END
echo '{' > broken.json
kymo run --list-presets
kymo run --explain mine
kymo run --preset broken true
