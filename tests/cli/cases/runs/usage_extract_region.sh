# status: 2
kymo extract --region fip -o only "$RUN"; status=$?; ls; exit $status
