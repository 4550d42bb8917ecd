# Joins the words that bash splits at colons, then removes the text up to the last colon from the candidates.
_roboprov_joining_colons() {
    local -a words=()
    local -i index cursor=0
    for index in "${!COMP_WORDS[@]}"; do
        if [[ "${index}" -gt 0 && ("${COMP_WORDS[index]}" = :* || "${COMP_WORDS[index - 1]}" = *:) ]]; then
            words[-1]+="${COMP_WORDS[index]}"
        else
            words+=("${COMP_WORDS[index]}")
        fi
        [[ "${index}" -eq "${COMP_CWORD}" ]] && cursor="$((${#words[@]} - 1))"
    done
    local word="${2}"
    [[ "${words[cursor]}" = *:* ]] && word="${words[cursor]}"
    local -a COMP_WORDS=("${words[@]}")
    local -i COMP_CWORD="${cursor}"
    _roboprov "${1}" "${word}" "${words[cursor - 1]}"
    if [[ "${COMP_WORDBREAKS}" = *:* && "${word}" = *:* ]]; then
        COMPREPLY=("${COMPREPLY[@]#"${word%"${word##*:}"}"}")
    fi
}

complete -o filenames -F _roboprov_joining_colons roboprov
