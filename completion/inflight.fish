# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The words come from the program's own tables (inflight --words), so that they cannot
# fall behind it: commands, options, topics, GPUs, the lab's cases, the kernels of the file on the line.

function __inflight_command
    set -l words (commandline -opc)
    test (count $words) -gt 1; and echo $words[2]
end

function __inflight_file
    string match -r '.*\.(?:ptx|cubin|fatbin|cu|so|o)$' -- (commandline -opc) | head -n 1
end

function __inflight_before
    contains -- (commandline -opc)[-1] $argv
end

function __inflight_has_no_command
    test (count (commandline -opc)) -eq 1
end

function __inflight_options
    inflight --words (__inflight_command) 2>/dev/null
end

complete -c inflight -n __inflight_has_no_command -f -a '(inflight --words 2>/dev/null; echo --help; echo --version)'
complete -c inflight -n 'string match -q help -- (__inflight_command)' -f -a '(inflight --words topics 2>/dev/null)'
complete -c inflight -n 'string match -q -- "-*" (commandline -ct)' -f -a '(__inflight_options)'
complete -c inflight -n '__inflight_before --gpu' -f -a '(inflight --words gpus 2>/dev/null)'
complete -c inflight -n '__inflight_before -k --kernel' -f -a '(inflight --words kernels (__inflight_file) 2>/dev/null)'
complete -c inflight -n '__inflight_before --color' -f -a 'auto always never'
complete -c inflight -n '__inflight_before --dump' -f -a 'ptx program code'
complete -c inflight -n '__inflight_before --code' -f -a 'ptx machine'
complete -c inflight -n '__inflight_before --on' -f -a 'engine gpu'
complete -c inflight -n '__inflight_before --between' -f -a 'rotate flush warm'
complete -c inflight -n '__inflight_before --format' -f -a 'text json sarif junit github gitlab markdown'
complete -c inflight -n '__inflight_before --vector-width' -f -a 'base v3 v4'
complete -c inflight -n 'string match -q devices -- (__inflight_command)' -f -a '(inflight --words gpus 2>/dev/null)'
complete -c inflight -n 'string match -q lab -- (__inflight_command)' -f -a '(inflight --words cases 2>/dev/null)'
