# SPDX-License-Identifier: Apache-2.0
# Completion for fish. The program itself says what the word at the cursor can become (inflight --complete WORD...), from
# the tables that its help comes from, so that nothing here can fall behind them.

function __inflight_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l found (inflight --complete $words[2..-1] "$current" 2>/dev/null)
    set -l before (string match -r '^--[^=]*=' -- "$current"; or echo '')
    set -l path (string replace -r '^--[^=]*=' '' -- "$current")
    switch "$found[1]"
        case :files
            set found $before(__fish_complete_path "$path")
        case :folders
            set found $before(__fish_complete_directories "$path" '')
    end
    printf '%s\n' $found
end

complete -c inflight -f -a '(__inflight_complete)'
