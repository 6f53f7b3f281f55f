# status: 1
mkdir empty; kymo report empty
