# zsh -f zsh-complete.zsh <folder with c.zsh> <line>: prints what zsh offers for the line, one word a line.
# Completion only works in an interactive shell, so one is run in a pseudo-terminal, with its `compadd` made to tell.
zmodload zsh/zpty
zpty shell zsh -f -i
cat > $1/init.zsh <<END
PROMPT=
cd $1
autoload -Uz compinit && compinit -u -D
source $1/c.zsh
bindkey "^I" complete-word
finish() { echo DONE; exit }
comppostfuncs=(finish)
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "\$@"; return; fi
  local -a hits
  builtin compadd -A hits "\$@"
  for hit in \$hits; do echo -E - "HIT:\$hit"; done
}
echo READY
END
zpty -w shell "source $1/init.zsh"
while zpty -r shell line; do [[ $line == *READY* ]] && break; done
zpty -n -w shell "$2"$'\t'
while zpty -r shell line; do
  [[ $line == *HIT:* ]] && print -r -- ${${line##*HIT:}%%[$'\r\n']*}
done
