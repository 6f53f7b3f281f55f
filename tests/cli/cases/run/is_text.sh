# status: 1
echo text > text.kymo; kymo report text.kymo
