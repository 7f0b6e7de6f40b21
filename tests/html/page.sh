# SPDX-License-Identifier: Apache-2.0
# Sourced by the checks of this folder: a folder for the files, and what holds of every page.
tree=$(mktemp -d "${TMPDIR:-/tmp}/inflight-html.XXXXXX")
trap 'rm -rf "$tree"' EXIT

fail() {
    echo "$*" >&2
    exit 1
}

# stands_alone PAGE: well-formed, and it refers to nothing outside.
stands_alone() {
    if test -n "${XMLLINT:-}"; then
        "$XMLLINT" --noout "$1" || fail "$1 is not well-formed"
    fi
    ! grep -nE 'https?:|src=|@import|url\(|<link' "$1" || fail "$1 refers to something outside"
    test "$(grep -c '<svg ' "$1")" = "$(grep -c 'role="img"' "$1")" || fail "a chart is no image to a screen reader"
}

# values_of JSON KEY: each value of that key in the order of the file.
values_of() {
    sed -n "s/.*\"$2\": *\\([0-9.e+-]*\\),\\{0,1\\}\$/\\1/p" "$1"
}

# has_values PAGE JSON KEY: each value of the key is that of a bar.
has_values() {
    values_of "$2" "$3" >"$tree/values"
    test -s "$tree/values" || fail "no $3 in $2"
    while read -r value; do
        awk -F 'data-value="' -v value="$value" '
            { for (i = 2; i <= NF; i++) if ($i + 0 == value + 0) found = 1 }
            END { exit !found }' "$1" || fail "no bar of $3 $value"
    done <"$tree/values"
}
