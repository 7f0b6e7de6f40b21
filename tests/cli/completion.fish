# SPDX-License-Identifier: Apache-2.0
# What fish offers for each line of standard input: the words after "inflight", the last one at the cursor.
# usage: fish completion.fish COMPLETION
source $argv[1]
while read -l --delimiter=\n line
    echo "$line> "(complete -C "inflight $line" | string replace -r '\t.*' '' | string join ' ')
end
