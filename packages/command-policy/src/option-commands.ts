import { isPlainGitSetting } from './programs/git.ts'
import { type OptionSpec, optionSpec, parseOptions } from './programs/program.ts'
import { type ExpandedWord, fieldsOf } from './read-word.ts'

/** Returns the words of a program's options that it executes. `rest`: its words without its name. */
export function optionCommands(name: string, rest: readonly ExpandedWord[]): ExpandedWord[] {
  const options = scriptOptions.get(name)
  if (options === undefined) return [...sshCommands(name, rest), ...zipCommands(name, rest)]
  const given = name === 'tar' ? splitBundle(rest, options) : rest
  const { scripts: found } = parseOptions(fieldsOf(given), options, { short: true })
  return [...valuesOf(given, found), ...sshCommands(name, rest), ...zipCommands(name, rest)]
}

/** Options of other programs whose value is executed. Other letters are listed where such an option can follow them. */
const scriptOptions: ReadonlyMap<string, OptionSpec> = new Map(
  Object.entries({
    rg: '--pre=! --hostname-bin=!',
    sort: '--compress-program=!',
    tar: '-AacdrtuxBGhijJklmMnoOpPRsSUvwWzZ0123456789 -b= -C= -f= -g= -H= -K= -L= -N= -T= -V= -X= --to-command=! -I=! --use-compress-program=! --rsh-command=! --checkpoint-action=! -F=! --info-script=! --new-volume-script=!',
    bsdtar: '--use-compress-program=!',
    man: '-P=! --pager=! -H=! --html=!',
    rsync: '-0468aAbcCdDEFgHhiIJkKlLmnNoOpPqrRsStuUvWxXyz -B= -f= -M= -T= -e=! --rsh=! --rsync-path=!',
    scp: '-S=!',
    sftp: '-S=!',
    split: '--filter=!',
    zip: '--unzip-command=!',
    hg: '--config=!',
    fzf: '--preview=! --bind=!',
    mapfile: '-C=!',
    readarray: '-C=!',
    complete: '-C=!',
    compgen: '-C=!',
    bind: '-x=!',
    tcpdump: '-z=!',
    wget: '--use-askpass=!',
    make: '--eval=!',
    gmake: '--eval=!',
    crontab: '',
    cpio: '--rsh-command=!',
    logrotate: '-m=! --mail=!',
    ip: '',
    dpkg: '--pre-invoke=!',
    nsenter: '',
  }).map(([name, line]) => [name, optionSpec(line)]),
)

/** Returns what options of git execute: programs, aliases, settings and transports. */
export function gitOptionCommands(rest: readonly ExpandedWord[]): ExpandedWord[] {
  const words = fieldsOf(rest)
  const pieces: ExpandedWord[] = []
  for (const [index, word] of words.entries()) {
    const piece = rest[index] as ExpandedWord
    // `-c alias.x='!command'`, `-c core.pager=command`, `--config-env`
    if (
      (words[index - 1] === '-c' || words[index - 1] === '--config') &&
      word.includes('=') &&
      !isPlainGitSetting(word)
    )
      pieces.push(textAfter(piece, '='))
    if (runsNext(words[index - 1] ?? '')) pieces.push(piece)
    // `ext::command`, `alias.x '!command'`
    if (/^(ext::|!)/.test(word)) pieces.push(textAfter(piece, word.startsWith('!') ? '!' : '::'))
    const [joined] = /^(-O|-x)(?=.)|^--[a-z-]+=/.exec(word) ?? []
    if (joined !== undefined && (!joined.endsWith('=') || runsNext(joined.slice(0, -1))))
      pieces.push(textAfter(piece, joined))
  }
  return pieces
}

const gitRunners =
  '--exec --extcmd --upload-pack --receive-pack --open-files-in-pager --tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter --setup'.split(
    ' ',
  )

/** True for an option of git, also abbreviated, whose value is executed. */
function runsNext(word: string): boolean {
  return /^-[xu]$/.test(word) || (/^--../.test(word) && gitRunners.some((option) => option.startsWith(word)))
}

/** `ssh -o ProxyCommand=command` runs the command locally. */
export function sshCommands(name: string, rest: readonly ExpandedWord[]): ExpandedWord[] {
  if (!/^(ssh|mosh|scp|sftp|autossh|sshfs|ssh-copy-id)$/.test(name)) return []
  return rest.flatMap((piece) => {
    const command = /^(?:-o)?\s*(?:ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.+)/is.exec(piece.field)?.[1]
    return command === undefined ? [] : [{ ...piece, field: command }]
  })
}

/** `tar cIf program archive`: the letters of a first word without a dash take the next words as their values. */
function splitBundle(rest: readonly ExpandedWord[], { kinds }: OptionSpec): readonly ExpandedWord[] {
  const [first, ...others] = rest
  if (first === undefined || first.field.startsWith('-')) return rest
  const letters = first.field.split('').flatMap((letter) => {
    const takes = (kinds.get(`-${letter}`) ?? 'flag') !== 'flag'
    return [{ ...first, field: `-${letter}` }, ...(takes ? others.splice(0, 1) : [])]
  })
  return [...letters, ...others]
}

/** The only option of zip with two letters after one dash. */
function zipCommands(name: string, rest: readonly ExpandedWord[]): ExpandedWord[] {
  if (name !== 'zip') return []
  return rest.flatMap((piece, index) => {
    const joined = /^-[a-zA-Z]*?TT(.*)$/s.exec(piece.field)?.[1]
    if (joined === undefined) return []
    return joined === '' ? rest.slice(index + 1, index + 2) : [{ ...piece, field: joined }]
  })
}

export function valuesOf(
  rest: readonly ExpandedWord[],
  found: readonly { value: string; at: number }[],
): ExpandedWord[] {
  return found.map(({ value, at }) => ({ ...(rest[at] as ExpandedWord), field: value.replace(/^exec=/, '') }))
}

export function textAfter(piece: ExpandedWord, separator: string): ExpandedWord {
  const at = piece.field.indexOf(separator)
  return { ...piece, certain: false, field: at === -1 ? '' : piece.field.slice(at + separator.length) }
}
