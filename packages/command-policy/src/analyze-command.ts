import { examineArguments, whyNotHarmless } from './classify-command.ts'
import type { CommandAnalysis, FileUse, FoundCommand, ShellContext } from './command-analysis.ts'
import { whyNotContained } from './contained-commands.ts'
import { isDangerousName } from './environment-variables.ts'
import { type ExpandedScript, expandScript } from './expansion/expand-script.ts'
import { fileUsesOf, isKnownProgram, trackedUses } from './file-uses.ts'
import { findCommands } from './find-commands.ts'
import { findInvisible, isOnlyQuoted, lexLiteral } from './literal-lexer.ts'
import { whyNeverRun } from './never-run.ts'
import { fieldsOf, isWhole, shellText } from './read-word.ts'
import { type CommandFinding, isFilledIn, type ScriptFindings } from './shell-state.ts'

const longest = 8 * 1024
const deepest = 50

/**
 * Analyzes a bash script without running it. Never throws. Anything not proven harmless is reported as not harmless.
 * Anything that might be a command is listed, so deny rules see it.
 */
export function analyzeCommand(text: string, place: ShellContext): CommandAnalysis {
  if (text.length > longest) return overLimit('It is longer than 8 KB, too long to analyze.')
  if (depthOf(text) > deepest) return overLimit('It is nested too deeply to analyze.')
  try {
    const findings = findCommands(text, place)
    const analysis = analyze(text, place, findings)
    return analysis.harmless ? analysis : (analyzeUnrolled(text, place, analysis, findings) ?? analysis)
  } catch (error) {
    return overLimit(`It could not be analyzed: ${(error as Error).message}`)
  }
}

/**
 * Analyzes the script with globs, loops and known variables expanded. Returns undefined unless the result is harmless.
 */
function analyzeUnrolled(
  text: string,
  place: ShellContext,
  given: CommandAnalysis,
  findings: ScriptFindings,
): CommandAnalysis | undefined {
  if (given.floor !== undefined || given.overLimit !== undefined) return undefined
  // With the words filled in, the script is known.
  if (given.unseen !== undefined && given.unseen !== isFilledIn) return undefined
  const expanded = findInvisible(text) === undefined ? expandScript(text, place) : undefined
  if (expanded === undefined || !isSameList(expanded.words, findings)) return undefined
  // The scripts in it must be read alike, too.
  if (!expanded.inner.every((inner) => isSameList(inner.words, findCommands(inner.text, place)))) return undefined
  const written = analyze(expanded.text, place, findCommands(expanded.text, place))
  if (!written.harmless) return undefined
  const named = new Set(given.reads.map(({ path }) => path))
  const looked = [
    ...expanded.folders.map((path): FileUse => ({ path, names: true })),
    ...expanded.tracked.flatMap((folder) => trackedUses(folder, place)),
  ]
  const isFound = (use: FileUse): FileUse =>
    expanded.isFound(use.path) && !named.has(use.path) ? { ...use, found: true } : use
  // Report the commands as given, for command rules, with the file uses of the expanded script.
  const asGiven = given.commands.map(({ why: _why, opaque: _opaque, late: _late, ...found }, index) => ({
    ...found,
    harmless: true,
    reads: index === 0 ? looked : [],
    writes: [],
  }))
  return {
    ...written,
    plain: given.plain,
    commands: [...asGiven, ...written.commands.map((one) => ({ ...one, reads: one.reads.map(isFound) }))],
    reads: [...written.reads.map(isFound), ...looked],
  }
}

function isSameList(words: ExpandedScript['words'], { words: parsed }: ScriptFindings): boolean {
  const sorted = parsed.toSorted((one, other) => one.at - other.at)
  return words.length === sorted.length && sorted.every(({ text }, index) => text === words[index]?.text)
}

function analyze(text: string, place: ShellContext, findings: ScriptFindings): CommandAnalysis {
  const gate = lexLiteral(text)
  const { odd, overLimit: limit, altered } = findings
  const hidden = isOnlyQuoted(text) ? undefined : findInvisible(text)
  const unseen = findings.unseen ?? hidden ?? findJoined(text, findings, place)
  const dangerous = [...(place.env ?? [])].find(isDangerousName)
  const uses = { reads: [] as FileUse[], writes: [] as FileUse[] }
  let floor = findings.floor
  let opaque = findings.opaque
  let why = gate.why ?? odd ?? limit ?? unseen ?? (sameWords(gate.words, findings) ? undefined : 'It is ambiguous.')
  const plain =
    why === undefined && findings.commands.every((found) => argvOf(found) !== null || found.pieces.length === 0)
  if (!plain) why ??= 'Some of its arguments are only known at run time.'
  let notContained = limit ?? unseen ?? altered ?? setsDangerous(findings)
  if (dangerous !== undefined) why ??= `${dangerous} was set by an earlier command and may change what this one does.`
  const commands = findings.commands.map((found): FoundCommand => {
    const argv = argvOf(found)
    const look = examineArguments(argv)
    const used = fileUsesOf(found, place, look)
    uses.reads.push(...used.reads)
    uses.writes.push(...used.writes)
    opaque ??= used.opaque
    floor ??= whyNeverRun(found, place.home)
    const notHarmless =
      altered ??
      setsDangerous(findings) ??
      (found.transparent ? whyNotTransparent(found, place) : whyNotHarmless(found, argv, look, place))
    const harmless = notHarmless === undefined && dangerous === undefined
    why ??= notHarmless
    if (notHarmless !== undefined) notContained ??= whyNotContained(found)
    return {
      text: found.pieces.length > 0 ? shellText(found.pieces) : wordless(found),
      name: found.name,
      argv,
      literalPrefix: literalPrefix(found),
      guess: guessOf(found),
      assignments: found.assignments,
      redirections: found.redirections.map(({ operator, target }) => ({ operator, target: target.text })),
      via: found.via,
      cwd: found.cwds?.length === 1 ? (found.cwds[0] ?? null) : null,
      cwds: found.cwds,
      harmless,
      why: notHarmless,
      transparent: found.transparent || onlyOpens(found) || undefined,
      remote: found.remote || undefined,
      reads: used.reads,
      writes: used.writes.filter(isFile),
      known: isKnownProgram(found.name),
      opaque: used.opaque,
      late: used.late || undefined,
    }
  })
  const harmless =
    why === undefined && plain && opaque === undefined && uses.writes.every(({ path }) => path === '/dev/null')
  const contained = harmless || (notContained === undefined && floor === undefined)
  return {
    commands,
    plain,
    harmless,
    why: harmless ? undefined : (why ?? opaque ?? 'It may do more than read.'),
    contained,
    whyNotContained: contained ? undefined : (notContained ?? floor ?? 'It may do more than read.'),
    reads: uses.reads,
    writes: uses.writes.filter(isFile),
    opaque,
    unseen,
    floor,
    overLimit: limit,
  }
}

function isFile({ path }: FileUse): boolean {
  return !/^\/dev\/(null|stdout|stderr|fd\/\d+)$/.test(path)
}

function overLimit(why: string): CommandAnalysis {
  const not = { plain: false, harmless: false, contained: false }
  return { commands: [], ...not, why, whyNotContained: why, reads: [], writes: [], overLimit: why }
}

/** Returns the maximum bracket nesting, quoted or not. Parse time grows with the depth. */
function depthOf(text: string): number {
  let depth = 0
  let most = 0
  for (const character of text) {
    if (character === '(' || character === '{') most = Math.max(most, ++depth)
    else if ((character === ')' || character === '}') && depth > 0) depth--
  }
  return most
}

function argvOf({ pieces, adds }: CommandFinding): string[] | null {
  return pieces.length > 0 && !adds && pieces.every(({ certain }) => certain) ? fieldsOf(pieces) : null
}

function literalPrefix({ pieces }: CommandFinding): string[] {
  const end = pieces.findIndex(({ certain }) => !certain)
  return fieldsOf(end === -1 ? pieces : pieces.slice(0, end))
}

function guessOf({ pieces, adds }: CommandFinding): { words: string[]; complete: boolean } {
  const end = pieces.findIndex(({ field }) => !isWhole(field))
  return {
    words: fieldsOf(end === -1 ? pieces : pieces.slice(0, end)),
    complete: end === -1 && !adds && pieces.length > 0,
  }
}

/** Describes a part without a program, such as `PATH=…` or `> file`. */
function wordless({ assignments, redirections }: CommandFinding): string {
  const set = assignments.map(({ name, value }) => `${name}=${value ?? '…'}`)
  return [...set, ...redirections.map(({ operator, target }) => `${operator} ${target.text}`)].join(' ')
}

/** True if it only opens files for other commands. Path rules judge those files. */
function onlyOpens({ pieces, assignments, redirections }: CommandFinding): boolean {
  return pieces.length === 0 && assignments.length === 0 && redirections.length > 0
}

/**
 * Detects scripts that parse differently once continued lines are joined. Bash joins them first, even inside
 * expansions; the parser does not.
 */
function findJoined(text: string, { commands }: ScriptFindings, place: ShellContext): string | undefined {
  if (!text.includes('\\\n')) return undefined
  const joined = findCommands(
    text.replaceAll(/\\([^])/g, (pair, next) => (next === '\n' ? '' : pair)),
    place,
  )
  const same =
    joined.commands.length === commands.length &&
    joined.commands.every((found, index) => shellText(found.pieces) === shellText(commands[index]?.pieces ?? []))
  return same ? joined.unseen : 'It has an ambiguous line continuation.'
}

/** The lexer and the parser must agree on every word. */
function sameWords(words: readonly string[] | undefined, { words: parsed }: ScriptFindings): boolean {
  const sorted = parsed.toSorted((one, other) => one.at - other.at)
  return words?.length === sorted.length && sorted.every(({ value }, index) => value === words[index])
}

function setsDangerous({ set }: ScriptFindings): string | undefined {
  for (const name of set) if (isDangerousName(name)) return `It sets ${name}.`
  return undefined
}

/** A transparent wrapper is as harmless as the command it wraps, if its own words are literal. */
function whyNotTransparent(found: CommandFinding, place: ShellContext): string | undefined {
  if (argvOf(found) === null) return 'Some of its arguments are only known at run time.'
  const { name } = found
  if (name === 'time' && found.pieces.some(({ field }) => /^(-\w*o|--output)/.test(field)))
    return '"time" writes a file.'
  if (name === 'nohup') return '"nohup" may write a file.'
  const other = whyNotHarmless({ ...found, pieces: [] }, null, undefined, place)
  if (other !== undefined) return other
  if (name === null || found.pieces[0]?.field !== name) return 'It is run by its path.'
  return name === 'command' || name === 'builtin' || place.isProgram?.(name) !== false
    ? undefined
    : `"${name}" is not the usual program here.`
}
