# Installing Python packages with the uv of $build/venv.  To be sourced.

# uv does not read pip's settings: hand on which index and certificates pip is configured with.
# uv's own variables come first, then pip's environment, then its files.
hand_on_pip_settings() {
	local variable name value settings
	settings=$("$build/venv/bin/pip" config list 2>/dev/null) || true
	while read -r variable name; do
		value=${!variable:-$(sed -n "s/^:env:\.$name='\(.*\)'$/\1/p; s/^global\.$name='\(.*\)'$/\1/p" \
			<<<"$settings" | head -n 1)}
		[ -z "$value" ] || export "$variable=$value"
	done <<-'SETTINGS'
		UV_DEFAULT_INDEX index-url
		UV_INDEX extra-index-url
		UV_HTTP_TIMEOUT default-timeout
		SSL_CERT_FILE cert
	SETTINGS
}

# uv_install ARGUMENTS of `uv pip install`
uv_install() { "$build/venv/bin/uv" pip install -q "$@"; }
