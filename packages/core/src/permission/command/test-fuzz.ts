import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

/** For tests: a source of chance that can be repeated. */
export function chance(seed: number): { below(limit: number): number; of<T>(list: readonly T[]): T } {
  let state = seed >>> 0 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  return { below, of: (list) => list[below(list.length)] as (typeof list)[number] }
}

const programs = ['ls', 'cat', 'find', 'echo', 'grep', 'sort', 'evil', 'rm', 'printf', 'test', '[', 'cd', 'git', 'x']
const words = [
  '-la',
  '-delete',
  '-exec',
  'a',
  'b.txt',
  '.',
  '-n',
  '5',
  '--x=y',
  'A=b',
  ']',
  '-',
  '--',
  '=',
  '1',
  '2',
  'é',
  '/dev/null',
  'if',
  'then',
  'fi',
  'do',
  'done',
  'time',
  'in',
  '{',
  '}',
  '!',
  '[[',
  ']]',
  'case',
  'esac',
  'function',
  'coproc',
  '~',
  'a~b',
  'x:~',
  '%1',
  '@',
  '^a',
  '#',
  'a#b',
]
const joints = [
  ' ',
  ' ',
  ' ',
  ' ',
  ' ',
  '  ',
  '\t',
  '\n',
  ';',
  ' ; ',
  '|',
  ' | ',
  '&&',
  ' && ',
  '||',
  ' || ',
  '&',
  ' & ',
  '\\\n',
  '\n\n',
  ' \\\n ',
  '',
]
const redirections = [
  '2>/dev/null',
  '2>&1',
  '>/dev/null',
  '&>/dev/null',
  '<a',
  '< a',
  '>&2',
  '2>>/dev/null',
  '1>&2',
  '>a',
  '> b',
  '>|a',
  '<>a',
  '3<a',
  '10>/dev/null',
  '<&-',
  '>&-',
  '2>&1-',
  '<<<a',
  '<<E\na\nE\n',
  '99999999999>a',
]
const expansions = [
  '$x',
  '${x}',
  '$(evil)',
  '`evil`',
  '$((1+1))',
  '*',
  '?',
  '[ab]',
  '{a,b}',
  '{1..3}',
  '~',
  '~/a',
  "$'a'",
  '$"a"',
  '<(evil)',
  '$1',
  '$@',
  '$',
  '"$x"',
  '"$(evil)"',
  '"`evil`"',
  '${x:-a}',
  '!(a)',
  '$[1]',
]
const quoted = [
  'a',
  'b c',
  '$x',
  '`',
  '\\',
  '"',
  "'",
  ';',
  '|',
  '&',
  '#',
  '\n',
  ' ',
  '*',
  '~',
  '!',
  '(',
  ')',
  '{',
  '}',
  'é',
  '$',
  '\\\\',
  '\\"',
  '\\$',
  '\\n',
  '-delete',
  '日',
  '>',
  '<',
]
const loose = [
  '\\',
  '"',
  "'",
  '$',
  '`',
  '(',
  ')',
  '{',
  '}',
  '[',
  ']',
  '*',
  '?',
  '~',
  '#',
  '!',
  '^',
  '%',
  '=',
  ',',
  '\r',
  '\0'.slice(1),
  '\u00a0',
  '\u200b',
  '\u202e',
  '\x7f',
  '\x01',
  '\v',
  '\f',
  'é',
  '<',
  '>',
  '&',
  '|',
  ';',
  '\n',
  '\t',
  ' ',
  '\\\n',
  '\\ ',
  "\\'",
  '\\"',
  '\\;',
  '\\(',
  '\\n',
  '\\\t',
  '\u2028',
  '\ufeff',
]

/** A command that is more or less one: words, quotes and signs in odd places. `odd`: how many in a hundred are. */
export function randomCommand({ below, of }: ReturnType<typeof chance>, odd: number): string {
  let text = below(20) === 0 ? of(joints) : ''
  for (let parts = 1 + below(4); parts > 0; parts--) {
    text += word(of(programs))
    for (let count = below(5); count > 0; count--)
      text += of([' ', ' ', ' ', ' ', '  ', '\t', ...joints.slice(-4)]) + part()
    text += of(joints)
  }
  return text

  function part(): string {
    const roll = below(100)
    if (roll < odd) return of([...expansions, ...loose])
    if (roll < odd + 6) return of(redirections)
    if (roll < odd + 30) return quote()
    return word(of(words))
  }

  function word(plain: string): string {
    const roll = below(100)
    if (roll < 70) return plain
    const at = below(plain.length + 1)
    const [before, after] = [plain.slice(0, at), plain.slice(at)]
    if (roll < 78) return `${before}${of(['""', "''", '\\\n', '"" ', '\\'])}${after}`
    if (roll < 86) return `${before}'${after}'`
    if (roll < 92) return `"${before}"${after}`
    if (roll < 96) return `${before}\\${after}`
    return roll < 100 - odd / 10 ? plain : `${before}${of(loose)}${after}`
  }

  function quote(): string {
    const mark = of(["'", '"'])
    let inner = ''
    for (let count = below(4); count > 0; count--) {
      const piece = of(quoted)
      if (mark === "'" && piece.includes("'")) continue
      if (mark === '"' && below(100) >= odd * 2 && /["$`\\]/.test(piece)) continue
      inner += piece
    }
    return `${mark}${inner}${mark}${below(6) === 0 ? of(words) : ''}`
  }
}

/**
 * What bash really ran for each text: its simple commands, word by word. Nothing runs in earnest: every name is caught
 * before a program is looked for. Of a text that does not come to its end, what was seen until then.
 */
export async function executed(texts: readonly string[]): Promise<string[][][]> {
  const ran: string[][][] = texts.map(() => [])
  for (let from = 0; from < texts.length;) from += await runBatch(texts.slice(from, from + 2000), ran, from)
  return ran
}

/** Returns how many it came through. */
async function runBatch(texts: readonly string[], ran: readonly string[][][], from: number): Promise<number> {
  const folder = mkdtempSync(path.join(tmpdir(), 'fuzz-'))
  writeFileSync(path.join(folder, 'texts'), texts.map((text) => `${text}\0`).join(''))
  writeFileSync(path.join(folder, 'log'), '')
  const catches = [...programs, 'true', 'false', ':', 'pwd', 'type', 'time', 'env', 'set', 'exit']
    .filter((name) => !['cd', 'x', 'time', 'set', 'exit'].includes(name))
    .map((name) => `function ${name} { note "\${FUNCNAME[0]}" "$@"; }`)
    .join('\n')
  const driver = `
note() { builtin printf '%s\\0' "$number" "$#" "$@" >&9; }
${catches}
function cd { note cd "$@"; }
command_not_found_handle() { note "$@"; }
exec 9>>/fuzz/log 8</fuzz/texts
PATH=/nowhere
number=0
while note; IFS= builtin read -r -d '' -u 8 text; do
  ( exec 8<&-; ulimit -t 1; eval "$text" ) </dev/null >/dev/null 2>&1
  number=$((number + 1))
done
builtin printf 'end\\0' >&9
`
  const args = [
    ...'--unshare-all --die-with-parent --new-session --clearenv --ro-bind /usr /usr --dev /dev --proc /proc'.split(
      ' ',
    ),
    ...'--symlink usr/bin /bin --symlink usr/lib /lib --symlink usr/lib64 /lib64 --tmpfs /ws --chdir /ws'.split(' '),
    ...`--bind ${folder} /fuzz --setenv LANG C.UTF-8 timeout -s KILL 30 /bin/bash --noprofile --norc -c`.split(' '),
    driver,
    'bash',
  ]
  const bash = spawn('/usr/bin/bwrap', args, { stdio: ['ignore', 'ignore', 'pipe'], env: {} })
  let complaint = ''
  bash.stderr.on('data', (piece: Buffer) => (complaint += piece.toString('utf8')))
  await new Promise((resolve) => bash.on('close', resolve))
  const fields = readFileSync(path.join(folder, 'log'), 'utf8').split('\0')
  rmSync(folder, { recursive: true, force: true })
  let last = -1
  for (let at = 0; at + 1 < fields.length && fields[at] !== 'end';) {
    const count = Number(fields[at + 1])
    last = Number(fields[at])
    if (count > 0) ran[from + last]?.push(fields.slice(at + 2, at + 2 + count))
    at += 2 + count
  }
  if (last === -1) throw new Error(`bash did not start: ${complaint.slice(0, 500)}`)
  return fields.at(-2) === 'end' ? texts.length : last + 1
}

/** A script with commands in every kind of place, to a depth. `noise`: how many characters go wrong. */
export function randomScript(random: ReturnType<typeof chance>, noise: number): string {
  const { below, of } = random
  let left = 12
  let text = script(3)
  for (let count = below(noise + 1); count > 0; count--) {
    const at = below(text.length + 1)
    text = text.slice(0, at) + (below(2) === 0 ? of(loose) : '') + text.slice(at + below(2))
  }
  return text

  function script(depth: number): string {
    const parts = Array.from({ length: 1 + below(2) }, () => command(depth))
    return parts.reduce((before, next) => before + of([' ; ', '\n', ' && ', ' | ', ' || ', '; ', ' |& ']) + next)
  }

  function command(depth: number): string {
    left--
    if (depth === 0 || left < 0) return `${of(programs.slice(0, 9))} ${of(words.slice(0, 10))}`
    const inner = (): string => script(depth - 1)
    const word = (): string => argument(depth - 1)
    switch (below(24)) {
      case 0:
        return `(${inner()})`
      case 1:
        return `{ ${inner()}; }`
      case 2:
        return `if ${inner()}; then ${inner()}; else ${inner()}; fi`
      case 3:
        return `for v in ${word()} b; do ${inner()}; done`
      case 4:
        return `case ${word()} in a|${word()}) ${inner()};; *) ${inner()};; esac`
      case 5:
        return `f${below(9)}() { ${inner()}; }`
      case 6:
        return `f() { ${inner()}; }; f ${word()}`
      case 7:
        return `eval '${inner().replaceAll("'", '')}'`
      case 8:
        return noise > 0 ? inner() : `while ${inner()}; do ${inner()}; break; done`
      case 9:
        return `! ${inner()}`
      case 10:
        return `time ${inner()}`
      case 11:
        return `[[ ${word()} ]] && ${inner()}`
      case 12:
        return `cat <<E ${word()}\n${word()}\nE\n${command(depth - 1)}`
      case 13:
        return `cat <<'E'\n${word()}\nE\n${command(depth - 1)}`
      case 14:
        return `cat <<-E\n\t${word()}\n\tE\n${command(depth - 1)}`
      case 15:
        return `X=${word()} ${of(programs)} ${word()}`
      case 16:
        return `X=${word()}; $X ${word()}`
      case 17:
        return `(( a[${word()}] ))`
      case 18:
        return `trap '${inner().replaceAll("'", '')}' EXIT`
      default:
        return `${of(programs)} ${word()} ${word()}`
    }
  }

  function argument(depth: number): string {
    const inner = (): string => script(Math.max(0, depth - 1))
    switch (depth <= 0 ? 20 : below(20)) {
      case 0:
        return `$(${inner()})`
      case 1:
        return `"$(${inner()})"`
      case 2:
        return `\`${inner().replaceAll(/[`\\]/g, '')}\``
      case 3:
        return `<(${inner()})`
      case 4:
        return `\${x:-$(${inner()})}`
      case 5:
        return `$(( a[$(${inner()})0] ))`
      case 6:
        return `"a\${x:=\`${inner().replaceAll(/[`\\"]/g, '')}\`}b"`
      case 7:
        return `{a,$(${inner()})}`
      case 8:
        return '"a b"'
      case 9:
        return of(expansions)
      default:
        return of(words.slice(0, 12))
    }
  }
}

const verbs =
  'status log show diff shortlog blame branch tag remote stash worktree reflog rev-parse rev-list ls-files ls-tree cat-file merge-base describe show-ref for-each-ref count-objects check-ignore grep config'.split(
    ' ',
  )
const values = [
  ...'out f x evil 1 5 a.txt ./out /ws/out . src - -- a %n +%s p 1p $p : = name 2024 @0 HEAD HEAD~1 main list show new'.split(
    ' ',
  ),
  ...'user.name .name -exec ; ( ) ! -o -a {} + -delete -name -fprint -newer -type -print -maxdepth 0'.split(' '),
  ...['w out', 'e evil', '1e evil', 's/a/b/w out', '{print > "out"}', '{print}', 'BEGIN{system("evil")}', 'evil x'],
  'import "x" as $y; .',
]
const longOptions =
  '--output=out --output --compress-program=evil --files0-from=f --in-place --file=f --set=2020-01-01 --compile --pre=evil --exec=evil --ext-diff --textconv --no-index --open-files-in-pager=evil --upload-pack=evil --edit --unset --global --add --delete --force --paginate --color=always --reference=f --from-file=f --random-source=f --help --version --append --null --recursive --include=* --exclude-from=f --max-count=1 --reverse --stdin --batch --filters --show-signature --exec-path=. --git-dir=.git'.split(
    ' ',
  )
const letters = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789']

/** A program with words that may or may not suit it. `known`: the options that are known of it. */
export function randomArguments(
  { below, of }: ReturnType<typeof chance>,
  program: string,
  known: readonly string[],
): string {
  const given = [program, ...(program === 'git' ? [of(verbs)] : [])]
  for (let count = below(6); count > 0; count--) {
    const roll = below(10)
    if (roll < 3) given.push(`-${Array.from({ length: 1 + below(3) }, () => of(letters)).join('')}`)
    else if (roll === 3) given.push(of(longOptions))
    else if (roll === 4 && known.length > 0) given.push(`${of(known)}${below(2) === 0 ? `=${of(values)}` : ''}`)
    else given.push(of(values))
  }
  if (program === '[') given.push(']')
  return given.map((one) => (/^[A-Za-z0-9_./=[\]-]+$/.test(one) ? one : `'${one.replaceAll("'", `'\\''`)}'`)).join(' ')
}
