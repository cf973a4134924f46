#!/bin/sh
# expect_end.sh CODE TEXT COMMAND...: passes if the command ends with this code ("any": any but 0) and prints the text ("-": whatever it prints).
code=$1
text=$2
shift 2
output=$("$@" 2>&1)
ended=$?
echo "$output"
[ "$text" != - ] || text=
case "$output" in
  *"$text"*) ;;
  *) echo "expected in the output: $text"; exit 1 ;;
esac
[ "$code" = any ] && [ "$ended" != 0 ] && exit 0
[ "$ended" = "$code" ] && exit 0
echo "ended with $ended, expected $code"
exit 1
