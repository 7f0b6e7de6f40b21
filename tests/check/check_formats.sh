#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The forms of a verdict with errors, a warning, a note, and what is allowed by the budget and by a comment. JSON is held to
# docs/check.schema.json and SARIF to what the standard says of its parts; XML is read by xmllint where there is one.
# With SARIF_SCHEMA and JUNIT_SCHEMA in the environment the official schemas are asked too, by Python's jsonschema and xmllint.
# usage: check_formats.sh EXAMPLE
set -u
. "$(dirname "$0")/project.sh"
here=$SOURCE/tests/check
make_project "$1" coalescing
sed -i '/pipeline/d' kernels.budget kernels.baseline
cat >>kernels.budget <<'EOF'
limit = warning: registers <= 8
limit = note: registers <= 9
limit = branches <= 0
allow = branches in scale because one test of the bounds is needed
EOF
sed -i '17s,$, // inflight: allow strided - to be shown,' kernels.cu
# The launches run PTX, which has no count of machine instructions.
sed -i '/smooth.launch\|kernels.cubin\|instructions/d' kernels.budget kernels.baseline

"$INFLIGHT" check kernels.budget --no-cache --output json="$T/v.json" --output sarif="$T/v.sarif" --output junit="$T/v.xml" \
    --output gitlab="$T/v.gitlab" --output markdown="$T/v.md" --output github="$T/v.github" >"$T/out"
[ $? = 1 ] || { cat "$T/out"; fail "exit status is not 1"; }

"$VALIDATE" "$SOURCE/docs/check.schema.json" "$T/v.json" || fail "the JSON is not as docs/check.schema.json has it"
"$VALIDATE" "$here/sarif.schema.json" "$T/v.sarif" || fail "the SARIF is not as the standard has it"

has() { grep -qF -e "$2" "$1" || { cat "$1"; fail "$1 lacks: $2"; }; }
has_count() { [ "$(grep -cF -e "$3" "$1")" = "$2" ] || { cat "$1"; fail "$1 has not $2 times: $3"; }; }

has "$T/out" 'kernels.cu:17: error: sectors is 294,912, the limit is <= 65,536; the baseline has 65,536 [sectors]'
has "$T/out" 'kernels.cu:17: allowed: '
has "$T/out" '    allowed: to be shown'
has "$T/out" '    allowed: one test of the bounds is needed'
has "$T/out" 'warning: registers is '
has "$T/out" 'note: registers is '
has "$T/v.sarif" '"kind": "inSource"'
has "$T/v.sarif" '"kind": "external"'
has "$T/v.sarif" '"justification": "one test of the bounds is needed"'
has "$T/v.github" '::error file=kernels.cu,line=17,title=transpose::sectors is 294,912, the limit is <= 65,536; the baseline has 65,536'
has "$T/v.github" '::warning file=kernels.cu,'
has_count "$T/v.github" 0 'branches'
has "$T/v.gitlab" '"check_name": "limit/sectors"'
has_count "$T/v.gitlab" 0 'branches'
has "$T/v.md" '| error | kernels.cu:17 | transpose | sectors is 294,912, the limit is &lt;= 65,536; the baseline has 65,536 |'
has "$T/v.xml" '<testsuite name="kernels.budget" tests="2" failures="1" errors="0">'
has_count "$T/v.xml" 1 '<failure '
if command -v xmllint >/dev/null; then
    xmllint --noout "$T/v.xml" || fail "the XML is not well-formed"
fi

# A line that moves does not change what a breach is called.
fingerprints() { sed -n 's/.*"fingerprint": "\(.*\)".*/\1/p' "$1" | sort; }
fingerprints "$T/v.json" >"$T/before"
[ -s "$T/before" ] || fail "no fingerprints"
{ echo; cat kernels.cu; } >"$T/moved" && mv "$T/moved" kernels.cu
awk '$1 == ".loc" { $3++ } { print }' kernels.ptx >"$T/moved" && mv "$T/moved" kernels.ptx
"$INFLIGHT" check kernels.budget --no-cache --format json >"$T/moved.json"
has "$T/moved.json" '"line": 18'
fingerprints "$T/moved.json" >"$T/after"
cmp "$T/before" "$T/after" || fail "a moved line changes fingerprints"

# What passes has every form too.
make_again() { rm -rf "$T/project"; make_project "$1"; sed -i '/pipeline/d' kernels.budget kernels.baseline; }
make_again "$1"
"$INFLIGHT" check kernels.budget --no-cache --format sarif --output json="$T/v.json" >"$T/v2.sarif" || fail "it does not pass"
"$VALIDATE" "$SOURCE/docs/check.schema.json" "$T/v.json" || fail "the JSON is not as docs/check.schema.json has it"
"$VALIDATE" "$here/sarif.schema.json" "$T/v2.sarif" || fail "the SARIF is not as the standard has it"

if [ -n "${SARIF_SCHEMA:-}" ]; then
    python3 -c 'import json, sys, jsonschema
for file in sys.argv[2:]:
    jsonschema.validate(json.load(open(file)), json.load(open(sys.argv[1])))' "$SARIF_SCHEMA" "$T/v.sarif" "$T/v2.sarif" ||
        fail "the official schema of SARIF refuses it"
fi
if [ -n "${JUNIT_SCHEMA:-}" ]; then
    xmllint --noout --schema "$JUNIT_SCHEMA" "$T/v.xml" || fail "the schema of JUnit refuses it"
fi
