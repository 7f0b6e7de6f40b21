# SPDX-License-Identifier: Apache-2.0
# Nsight Compute's raw page becomes lines of counters.txt: the names of the counters, then for each launch its file, index
# and kernel and the counters' values, "-" where there is none.
# usage: awk -v which=small|large -f tools/gpu-counters.awk tests/gpu/metrics.txt LIST RAW.csv
#   which: the rows of metrics.txt to take beside "all"
#   LIST is what `gpu-ptx --list` printed for the same files: its lines are the page's rows, in order.
function fail(text)
{
    print "gpu-counters: " text >"/dev/stderr"
    failed = 1
    exit 1
}

FNR == 1 { part++ }

part == 1 && !/^#/ && ($3 == "all" || $3 == which) {
    metric[++metrics] = $2
    name[metrics] = $1
    if (!($1 in place)) {
        place[$1] = ++names
        header = header " " $1
    }
}

part == 2 {
    launch[++launches] = $1 " " $2
    kernel[launches] = $3
}

# Every field is quoted; a quote inside a field does not occur in the fields that are used.
part == 3 && /^"/ {
    count = split(substr($0, 2, length($0) - 2), field, "\",\"")
    page++
    if (page == 1)
        for (i = 1; i <= count; i++)
            column[field[i]] = i
    else if (page > 2) # the second row has the units
        write_row(++row)
}

function write_row(index_,    m, value, cell, line)
{
    if (index_ > launches || field[column["Kernel Name"]] != kernel[index_])
        fail("row " index_ " is " field[column["Kernel Name"]] ", not " launch[index_] " " kernel[index_])
    for (m = 1; m <= metrics; m++) {
        if (!(metric[m] in column))
            continue
        value = field[column[metric[m]]] # "4,352 (1; 2)": the sum, then the instances
        sub(/ .*/, "", value)
        gsub(/,/, "", value)
        if (value !~ /^[0-9]+$/)
            fail(launch[index_] " " metric[m] " is " value)
        cell[place[name[m]]] += value
    }
    if (index_ == 1)
        print "names" header
    line = launch[index_] " " kernel[index_]
    for (m = 1; m <= names; m++)
        line = line " " (m in cell ? sprintf("%.0f", cell[m]) : "-")
    print line
}

END {
    if (!failed && row != launches)
        fail(row " rows, wanted " launches)
}
