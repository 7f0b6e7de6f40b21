# SPDX-License-Identifier: Apache-2.0
# Completion for bash. The program itself says what the word at the cursor can become (inflight --complete WORD...), from
# the tables that its help comes from, so that nothing here can fall behind them.

_inflight()
{
    local -a words=()
    local i word found join= cut=
    # Bash takes --gpu=h200 for three words.
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ -n $join || ($word == = && ${#words[@]} -gt 0) ]]; then
            words[${#words[@]} - 1]+=$word
            join=
            [[ $word == = ]] && join=1
        else
            words+=("$word")
        fi
    done
    [[ ${COMP_WORDS[COMP_CWORD]} == = ]] && cut=1
    [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]] && cut=1
    compopt +o nospace 2>/dev/null

    mapfile -t found < <(inflight --complete "${words[@]}" 2>/dev/null)
    word=${COMP_WORDS[COMP_CWORD]}
    [[ $word == = ]] && word=
    case ${found[0]} in
    :files | :folders)
        compopt -o filenames 2>/dev/null
        if [[ ${found[0]} == :folders ]]; then
            mapfile -t COMPREPLY < <(compgen -d -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
        fi
        return
        ;;
    esac
    COMPREPLY=("${found[@]}")
    [[ -n $cut ]] && COMPREPLY=("${found[@]#*=}")
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}
complete -F _inflight inflight
