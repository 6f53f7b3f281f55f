kymo --version
