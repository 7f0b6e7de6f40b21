#compdef inflight
# SPDX-License-Identifier: Apache-2.0
# Completion for zsh. The program itself says what the word at the cursor can become (inflight --complete WORD...), from
# the tables that its help comes from, so that nothing here can fall behind them.

_inflight()
{
    local -a found
    found=(${(f)"$(inflight --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"})
    case ${found[1]} in
    :files | :folders)
        [[ ${words[CURRENT]} == --*=* ]] && compset -P '*='
        if [[ ${found[1]} == :folders ]]; then _files -/; else _files; fi
        return
        ;;
    esac
    compadd -S '' -- ${(M)found:#*=}
    compadd -- ${found:#*=}
}

_inflight "$@"
