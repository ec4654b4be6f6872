import { gitOptionCommands, optionCommands, sshCommands, textAfter, valuesOf } from './option-commands.ts'
import { filePrograms } from './programs/file-programs.ts'
import { type OptionSpec, optionSpec, parseOptions } from './programs/program.ts'
import { isPlainAwk, isPlainSed } from './programs/script-programs.ts'
import { type ExpandedWord, fieldsOf, hole, syntheticWord } from './read-word.ts'
import { interpreterOf, shellOptions, shells, type Wrapper, wrappers } from './wrappers.ts'

export type InnerCommand = { via: string; remote?: boolean; transparent?: boolean } & (
  | {
      kind: 'command'
      pieces: readonly ExpandedWord[]
      assigned?: readonly ExpandedWord[]
      adds?: boolean
      elsewhere?: boolean
    }
  | { kind: 'script'; pieces: readonly ExpandedWord[] }
)

export interface Unwrapped {
  inner: readonly InnerCommand[]
  file?: true
  /** May run commands that its own language assembles. */
  hidden?: boolean
  code: readonly ExpandedWord[]
  /** Reads code from its input: a shell without a script. */
  readsCode: boolean
  runsCode: boolean
}

const nothing: Unwrapped = { inner: [], code: [], readsCode: false, runsCode: false }

/** Finds the commands and scripts among the words of a command. `name`: its program without a folder. */
export function unwrap(name: string, pieces: readonly ExpandedWord[]): Unwrapped {
  const rest = pieces.slice(1)
  // `node --version` runs nothing.
  if (
    rest.length === 1 &&
    /^(--version|--help|-V|-v|-version)$/.test(rest[0]?.field ?? '') &&
    interpreterOf(name) !== undefined
  )
    return nothing
  if (rest.length === 1 && /^--(version|help)$/.test(rest[0]?.field ?? '')) return nothing
  // `bash -n file` only checks the syntax.
  if (shells.has(name) && rest.length === 2 && rest[0]?.field === '-n' && /^[\w.]/.test(rest[1]?.field ?? ''))
    return nothing
  if (/^node(js)?$/.test(name) && rest.length === 2 && /^(--check|-c)$/.test(rest[0]?.field ?? '')) return nothing
  if (shells.has(name)) return unwrapShell(name, rest)
  if (name === 'source' || name === '.') {
    const first = rest[0]
    return { ...nothing, file: true, runsCode: true, readsCode: first?.field === '/dev/stdin', code: rest.slice(0, 1) }
  }
  if (name === 'at' || name === 'batch') return { ...nothing, readsCode: true, runsCode: true }
  if (name === 'trap') return scripts('trap', rest.filter(({ field }) => !/^(-[lp]*|--)$/.test(field)).slice(0, 1))
  if (name === 'alias')
    return scripts(
      'alias',
      rest.map((piece) => textAfter(piece, '=')),
    )
  if (name === 'find') return { ...nothing, inner: executed(rest, /^-(exec|execdir|ok|okdir)$/, 'find') }
  if (/^fd(find)?$/.test(name)) return { ...nothing, inner: executedByFd(name, rest) }
  if (name === 'git') return unwrapGit(rest)
  if (/^([gmn]|original-|busybox-)?awk$/.test(name)) return quotedCode(name, rest)
  if (/^g?sed$/.test(name)) return quotedCode(name, rest)
  if (editors.has(name))
    return scripts(
      name,
      rest.map((piece) => textAfter(piece, '!')),
    )
  if (name === 'sqlite3') return scripts(name, rest.filter(({ field }) => /^\s*\.(sh|sy)/.test(field)).map(withoutVerb))
  const wrapper = wrappers.get(name)
  if (wrapper !== undefined) {
    const found = unwrapWrapper(name, wrapper, rest)
    if (found !== undefined) return found
  }
  const interpreter = interpreterOf(name)
  if (interpreter !== undefined) return unwrapInterpreter(name, interpreter, rest)
  return scripts(name, optionCommands(name, rest))
}

/** `.shell command`, `.system command`, also abbreviated. */
function withoutVerb(piece: ExpandedWord): ExpandedWord {
  return { ...piece, field: piece.field.replace(/^\s*\.\w+\s*/, '') }
}

/** `:!command`, `+!command`, `\! command`. */
const editors = new Set('vi vim nvim view ex ed less more most psql mysql gdb lldb ftp'.split(' '))

function unwrapShell(name: string, given_: readonly ExpandedWord[]): Unwrapped {
  // `+x` and `+o posix` turn an option off.
  const rest = given_.filter(
    ({ field }, index) => !/^\+[A-Za-z]+$/.test(field) && !/^\+[oO]$/.test(given_[index - 1]?.field ?? ''),
  )
  const words = fieldsOf(rest)
  const { options: given, start, scripts: commands, operands } = parseOptions(words, shellOptions, { style: 'stop' })
  const started = given.get('--rcfile') ?? given.get('--init-file')
  const startFile = started === undefined ? {} : { file: true as const }
  if (commands.length > 0 || given.has('-c')) {
    const code = commands.length > 0 ? valuesOf(rest, commands) : rest.slice(start, start + 1)
    const inner: InnerCommand[] = [{ kind: 'script', via: `${name} -c`, pieces: code }]
    const files = rest.filter(({ field }) => started !== undefined && field.endsWith(started))
    return { inner, code: [...code, ...files], readsCode: false, runsCode: true, ...startFile }
  }
  const first = given.has('-s') ? undefined : operands[0]
  const readsCode = first === undefined || first === '-' || first === '/dev/stdin'
  if (readsCode) return { ...nothing, readsCode, runsCode: true }
  return { ...nothing, file: true, code: rest.slice(start, start + 1), runsCode: true }
}

function unwrapInterpreter(name: string, options: OptionSpec, rest: readonly ExpandedWord[]): Unwrapped {
  const words = fieldsOf(rest)
  const evaluates = (name === 'deno' || name === 'bun') && words[0] === 'eval'
  const args = evaluates ? rest.slice(1) : rest
  const { scripts: found, options: given, operands, start } = parseOptions(fieldsOf(args), options, { style: 'stop' })
  const code = evaluates ? args.slice(start, start + 1) : valuesOf(args, found)
  const inner = code.flatMap(({ field }) => calls(name, field))
  if (code.length > 0 || given.has('-m')) return { inner, code, readsCode: false, runsCode: true }
  const first = operands[0]
  if (first === undefined || first === '-' || first === '/dev/stdin')
    return { ...nothing, readsCode: true, runsCode: true }
  return { ...nothing, file: true, code: args.slice(start, start + 1), runsCode: true }
}

function calls(via: string, code: string): InnerCommand[] {
  const found: InnerCommand[] = []
  for (const [, , text = ''] of code.matchAll(
    /(?:system|popen\w*|exec\w*|spawn\w*|run|call|check_\w+|shell_exec|passthru|Popen|getoutput|qx)\s*\(?\s*\[?\s*[a-z]?(["'`])((?:\\.|(?!\1).)*)\1/gs,
  )) {
    found.push(inScript(via, text))
  }
  // `"command" | getline`, `print | "command"`, `%x(command)`, backticks.
  for (const [, left, right, ticks] of code.matchAll(/"([^"]*)"\s*\|&?\s*getline|\|&?\s*"([^"]*)"|`([^`]*)`/g)) {
    found.push(inScript(via, left ?? right ?? ticks ?? ''))
  }
  return found
}

const inScript = (via: string, text: string): InnerCommand => ({
  kind: 'script',
  via,
  pieces: [syntheticWord(text.replaceAll(/\\(.)/g, '$1'), false)],
})

function quotedCode(name: string, rest: readonly ExpandedWord[]): Unwrapped {
  const inner = rest.flatMap(({ field }) => calls(name, field))
  if (name.endsWith('sed')) {
    for (const { field } of rest) {
      const command = /(?:^|[;{}\n/$\d])\s*e\s+([^\n]+)/.exec(field)?.[1]
      if (command !== undefined) inner.push(inScript(name, command))
    }
  }
  const hidden = name.endsWith('sed') ? sedMayRun(fieldsOf(rest)) : rest.some(({ field }) => awkMayRun(field))
  return { ...nothing, inner, hidden }
}

/** True if sed may run a command, through `e` or the flag of `s`. Any non-plain script with an e counts. */
function sedMayRun(words: readonly string[]): boolean {
  const told = words.filter((_, index) => /^(-\w*e|--expression)$/.test(words[index - 1] ?? ''))
  const joined = words.flatMap((word) => /^--expression=(.*)$/s.exec(word)?.[1] ?? [])
  const scripts = [...told, ...joined]
  if (scripts.length === 0) scripts.push(words.find((word) => !word.startsWith('-')) ?? '')
  return scripts.some((script) => script.includes('e') && !isPlainSed(script))
}

/** A word may be the program, or a separator such as `|`, which is no program that runs anything. */
function awkMayRun(word: string): boolean {
  return awkRuns.test(word) && !isPlainAwk(word) && !/^(-F|-v)?(\w+=)?[\s|\\[\]:,;]*$/.test(word)
}

/** `cmd | getline`, `print | cmd`, `system(…)`. */
const awkRuns = /(?<!\|)\|(?!\|)|\bsystem\b|@\w/

function unwrapWrapper(name: string, wrapper: Wrapper, given: readonly ExpandedWord[]): Unwrapped | undefined {
  let rest = given
  let via = name
  if (wrapper.verbs !== undefined) {
    const at = rest.findIndex(({ field }) => wrapper.verbs?.includes(field))
    if (at === -1) return undefined
    via = `${name} ${rest[at]?.field ?? ''}`
    rest = rest.slice(at + 1)
  }
  const words = fieldsOf(rest)
  if (name === 'command' && /^-[pvV]*[vV]/.test(words[0] ?? '')) return undefined
  // If no command follows, options may appear anywhere.
  const read = parseOptions(words, wrapper.options, { style: wrapper.skip < 99 ? 'stop' : 'gnu' })
  const notes = { via, remote: wrapper.remote }
  const local = sshCommands(name, rest)
  const code = [...valuesOf(rest, read.scripts), ...local]
  const inner: InnerCommand[] = code.map((piece) => ({
    kind: 'script',
    via,
    remote: wrapper.remote && !local.includes(piece),
    pieces: [piece],
  }))
  // After an unknown option the command may start one word later, and setarch may omit the architecture.
  for (const late of read.unknown === undefined && name !== 'setarch' ? [0] : [0, 1]) {
    let start = read.start + late
    const assigned: ExpandedWord[] = []
    for (; wrapper.assigns && /^[A-Za-z_]\w*=/.test(words[start] ?? ''); start++)
      assigned.push(rest[start] as ExpandedWord)
    start += wrapper.skip
    // `kubectl exec pod -c box -- command`
    if (wrapper.skip > 0 && words.includes('--', read.start)) start = words.indexOf('--', read.start) + 1
    if (start >= rest.length) continue
    const placed = read.options.get('-I') ?? read.options.get('--replace')
    const pieces = wrapper.adds ? rest.slice(start).map((piece) => withFile(piece, placed || '{}')) : rest.slice(start)
    const listed = name === 'parallel' ? pieces.findIndex(({ field }) => field.startsWith(':::')) : -1
    if (listed === 0) {
      inner.push(...pieces.slice(1).map((piece): InnerCommand => ({ kind: 'script', ...notes, pieces: [piece] })))
      continue
    }
    if (wrapper.script && name !== 'hyperfine') {
      inner.push({ kind: 'script', ...notes, pieces })
      code.push(...pieces)
      continue
    }
    if (wrapper.script)
      inner.push(...pieces.map((piece): InnerCommand => ({ kind: 'script', ...notes, pieces: [piece] })))
    else
      inner.push({
        kind: 'command',
        ...notes,
        pieces,
        assigned,
        adds: wrapper.adds,
        transparent: wrapper.transparent && read.unknown === undefined,
        elsewhere: movesElsewhere(name, read.options),
      })
  }
  if (name === 'flock' && words[read.start + 1] === '-c')
    inner.push({ kind: 'script', ...notes, pieces: rest.slice(read.start + 2) })
  return { inner, code, readsCode: name === 'parallel' && inner.length === 0, runsCode: code.length > 0 }
}

function movesElsewhere(name: string, given: ReadonlyMap<string, string>): boolean {
  if (name === 'env') return given.has('-C') || given.has('--chdir')
  return name === 'chroot' || given.has('-D') || given.has('--chdir') || given.has('--wd') || given.has('--cwd')
}

/** `-exec command … ;`: the file name inserted is unknown. */
function executed(rest: readonly ExpandedWord[], option: RegExp, via: string): InnerCommand[] {
  const inner: InnerCommand[] = []
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at]?.field ?? ''
    if (!option.test(field)) continue
    let end = at + 1
    while (
      end < rest.length &&
      rest[end]?.field !== ';' &&
      !(rest[end]?.field === '+' && rest[end - 1]?.field === '{}')
    )
      end++
    inner.push({
      kind: 'command',
      via: `${via} ${field}`,
      pieces: rest.slice(at + 1, end).map((piece) => withFile(piece, '{}')),
      adds: true,
    })
    at = end
  }
  return inner
}

/** `-x command …`: also joined (`-xcommand`), after other letters, or after `=`. */
function executedByFd(via: string, rest: readonly ExpandedWord[]): InnerCommand[] {
  const [script] = parseOptions(fieldsOf(rest), fdOptions).scripts
  if (script === undefined) return []
  const words = rest.slice(script.at + 1)
  const end = words.findIndex(({ field }) => field === ';')
  const pieces = [...valuesOf(rest, [script]), ...(end === -1 ? words : words.slice(0, end))]
  const inner: InnerCommand = {
    kind: 'command',
    via: `${via} -x`,
    pieces: pieces.map((piece) => withFile(piece, '{}')),
    adds: true,
  }
  return [inner, ...(end === -1 ? [] : executedByFd(via, words.slice(end + 1)))]
}

const fdOptions: OptionSpec = {
  kinds: new Map([
    ...(filePrograms['fd']?.options?.kinds ?? []),
    ...optionSpec('-lL -x=! -X=! --exec=! --exec-batch=!').kinds,
  ]),
}

/** The text inserted for each file is unknown. */
function withFile(piece: ExpandedWord, placed: string): ExpandedWord {
  return piece.field.includes(placed)
    ? { ...piece, certain: false, field: piece.field.replaceAll(placed, hole) }
    : piece
}

function unwrapGit(rest: readonly ExpandedWord[]): Unwrapped {
  const words = fieldsOf(rest)
  const pieces = gitOptionCommands(rest)
  const run = words.findIndex((word, index) => word === 'run' && words[index - 1] === 'bisect')
  const each = words.indexOf('foreach')
  const start = run !== -1 ? run + 1 : each !== -1 ? each + 1 : -1
  if (start !== -1) {
    const command = rest.slice(start).filter(({ field }, index) => index > 0 || field !== '--recursive')
    return { ...nothing, inner: [{ kind: 'script', via: 'git', pieces: command }, ...scripts('git', pieces).inner] }
  }
  return scripts(
    'git',
    pieces.map((piece) => ({ ...piece, field: piece.field.replace(/^!/, '') })),
  )
}

function scripts(via: string, pieces: readonly ExpandedWord[]): Unwrapped {
  const code = pieces.filter(({ field }) => field !== '')
  return {
    ...nothing,
    code,
    runsCode: code.length > 0,
    inner: code.map((piece) => ({ kind: 'script', via, pieces: [piece] })),
  }
}
