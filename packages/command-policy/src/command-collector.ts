import { isDangerousName, isSafeSetting } from './environment-variables.ts'
import { printsInlineCode } from './listing-commands.ts'
import { type ExpandedWord, fieldAsShell, fieldsOf, isWhole } from './read-word.ts'
import {
  changeFolder,
  type CommandFinding,
  type FolderChange,
  isFilledIn,
  noInput,
  type ScriptContext,
  type ScriptFindings,
  ShellVariables,
  stayIn,
  unknownFolder,
} from './shell-state.ts'
import { type InnerCommand, unwrap } from './unwrap.ts'
import { interpreterOf, shells } from './wrappers.ts'

const quotedText = 'quoted text'
const deepest = 24
const mostCommands = 400
/** Word limit across all commands. The words of a wrapped command count twice. */
const mostWords = 12_000
/** Total size limit, in characters, for text that is parsed again, such as arguments of `eval`. */
const mostAgain = 24 * 1024

type ReadText = (text: string, spot: ScriptContext) => FolderChange

export class CommandCollector {
  readonly findings: ScriptFindings = { commands: [], words: [], set: new Set() }
  readonly memory: ShellVariables
  #readText: ReadText
  #again = 0
  #words = 0

  constructor(home: string, readText: ReadText) {
    this.memory = new ShellVariables(home)
    this.#readText = readText
  }

  note(what: 'odd' | 'altered' | 'unseen' | 'opaque' | 'floor' | 'overLimit', why: string): void {
    this.findings[what] ??= why
  }

  /** Records a command from the parser or from another command's words, then the commands it runs. */
  take(
    given: Pick<CommandFinding, 'pieces' | 'assignments' | 'redirections'> & { adds?: boolean },
    spot: ScriptContext,
  ): FolderChange {
    const { pieces, assignments, redirections } = given
    const { via, cwds, remote, input } = spot
    const stay = stayIn(cwds)
    const [first] = pieces
    const name =
      first !== undefined && isWhole(first.field) ? (first.field.split('/').at(-1) ?? '').toLowerCase() : null
    const adds = given.adds === true
    const found: CommandFinding = {
      pieces,
      name,
      adds,
      assignments,
      redirections,
      via,
      cwds,
      transparent: false,
      remote,
      file: false,
    }
    if (first === undefined && assignments.length === 0 && redirections.length === 0) return stay
    // A no-op that only makes the parser see the quoted text.
    if (name === ':' && via.at(-1) === quotedText) return stay
    this.#words += pieces.length
    if (this.findings.commands.length >= mostCommands || this.#words > mostWords) {
      this.note('overLimit', 'It has too many commands to analyze.')
      return stay
    }
    this.findings.commands.push(found)
    if (first === undefined) return stay
    // A guess can justify a refusal but never an approval.
    if (!first.certain) this.note('unseen', `What "${first.word.text}" stands for is only known at run time.`)
    if (first.network) this.note('floor', 'It runs code from the network.')
    if (name === null) return stay
    this.#builtin(name, pieces.slice(1), spot)
    const { inner, code, readsCode, runsCode, file, hidden } = unwrap(name, pieces)
    found.file = file === true
    found.transparent =
      inner.length > 0 && inner.every((one) => one.transparent === true) && assignments.every(({ safe }) => safe)
    if (runsCode && code.some(({ network }) => network)) this.note('floor', 'It runs code from the network.')
    if (runsCode && code.some(({ certain }) => !certain)) this.note('unseen', isFilledIn)
    if (code.some(({ field }) => forks.test(field))) this.note('floor', 'It endlessly starts copies of itself.')
    if (runsCode && adds && input.network) this.note('floor', `It passes data from the network to ${name}.`)
    // After `sh -c script`, the words that are added are its arguments.
    const isScript = shells.has(name) && code.length > 0 && code.every(({ certain }) => certain) && inner.length > 0
    if (runsCode && adds && !isScript) this.note('unseen', `The input of ${name} is only known at run time.`)
    if (hidden === true) this.note('unseen', `What ${name} runs is only known at run time.`)
    if (readsCode) this.#readsCode(found, name, spot)
    let moves = stay
    for (const one of inner) moves = this.#inner(one, assignments, spot)
    if (name === 'cd') return this.#cd(pieces.slice(1), spot)
    if (/^(pushd|popd|source|\.)$/.test(name)) return unknownFolder
    // `command cd x` and `eval "cd x"` change the shell's folder. Other programs do not.
    return /^(command|builtin|eval)$/.test(name) ? moves : stay
  }

  /** Records a variable set by other means than an assignment. A dangerous one counts as a separate command. */
  sets(name: string, spot: ScriptContext): void {
    this.findings.set.add(name)
    this.memory.forget(name)
    if (!isDangerousName(name)) return
    this.take({ pieces: [], assignments: [{ name, value: null, safe: false }], redirections: [] }, spot)
  }

  /** Arithmetic can set variables and run substitutions in quoted text. */
  computes(text: string, spot: ScriptContext): void {
    this.note('odd', 'It uses arithmetic.')
    if (/[<>]\(/.test(text)) this.note('unseen', 'It uses arithmetic on the output of a command.')
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) if (isDangerousName(name)) this.sets(name, spot)
    this.latent(text, spot)
  }

  /**
   * Bash evaluates the value of a variable as arithmetic and runs substitutions in it. Unless the value is certainly a
   * number, record a part that no command rule matches.
   */
  evaluates(text: string, spot: ScriptContext): void {
    const [name] = /\$\(|`/.exec(text) ?? []
    const isNumber = (one: string): boolean => this.memory.isNumber(one) && !maySetAgain(one, spot)
    const unknown = [...text.matchAll(/[A-Za-z_]\w*|\$[\d@*]/g)].find(([one]) => !isNumber(one))?.[0] ?? name
    if (unknown === undefined) return
    const assignments = [{ name: unknown, value: null, safe: false }]
    this.take({ pieces: [], assignments, redirections: [] }, spot)
  }

  /** In arithmetic, text that looks like a substitution is one, even if quoted. */
  latent(text: string, spot: ScriptContext): void {
    if (!/\$\(|`/.test(text)) return
    this.note('odd', 'It has a substitution in quoted text.')
    this.reread(`: "${text.replaceAll(/["\\]/g, '\\$&')}"`, { ...spot, via: [...spot.via, quotedText] })
  }

  reread(text: string, spot: ScriptContext): FolderChange {
    this.#again += text.length
    if (this.#again <= mostAgain && spot.via.length <= deepest) return this.#readText(text, spot)
    this.note('overLimit', 'Its commands are nested too deeply.')
    return unknownFolder
  }

  /** `outer`: assignments of the enclosing command, which apply here too. */
  #inner(inner: InnerCommand, outer: CommandFinding['assignments'], spot: ScriptContext): FolderChange {
    const via = [...spot.via, inner.via]
    const within: ScriptContext = { ...spot, via, remote: spot.remote || inner.remote === true }
    if (inner.kind === 'script') {
      const guessed = inner.pieces.every(({ certain }) => certain) ? {} : { guessed: true as const }
      return this.reread(fieldsOf(inner.pieces).map(fieldAsShell).join(' '), { ...within, ...guessed })
    }
    if (via.length > deepest) {
      this.note('overLimit', 'Its commands are nested too deeply.')
      return unknownFolder
    }
    const assigned = (inner.assigned ?? []).map(({ field, certain }) => {
      const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(field) ?? []
      return { name, value: certain ? value : null, safe: isSafeSetting(name, certain ? value : null) }
    })
    const cwds = inner.elsewhere === true ? null : spot.cwds
    const command = { pieces: inner.pieces, assignments: [...outer, ...assigned], redirections: [] }
    return this.take({ ...command, adds: inner.adds }, { ...within, cwds })
  }

  #readsCode(found: CommandFinding, name: string, spot: ScriptContext): void {
    const { network, text, certain } = spot.input
    if (certain && text !== null && printsInlineCode(name, [name.startsWith('python') ? '-c' : '-e', text])) {
      found.prints = true
      return
    }
    if (network) this.note('floor', `It passes data from the network to ${name}.`)
    const isShell = interpreterOf(name) === undefined
    if (!certain || !isShell) this.note('unseen', `The input of ${name} is only known at run time.`)
    if (text === null || !isShell) return
    const within: ScriptContext = { ...spot, via: [...spot.via, `input of ${name}`], input: noInput }
    this.reread(fieldAsShell(text), certain ? within : { ...within, guessed: true })
  }

  #cd(words: readonly ExpandedWord[], { cwds }: ScriptContext): FolderChange {
    if (words.some(({ certain }) => !certain))
      this.note('opaque', 'The folder it changes to is only known at run time.')
    return changeFolder(words, cwds, this.memory.home)
  }

  #builtin(name: string, words: readonly ExpandedWord[], spot: ScriptContext): void {
    if (computing.has(name)) for (const { field } of words) this.latent(field, spot)
    if (/^(read|mapfile|readarray|getopts)$/.test(name)) {
      for (const { field } of words) this.sets(field, spot)
      if (spot.input.network) for (const { field } of words) this.memory.taint(field)
    }
    if (name === 'printf' && words[0]?.field.startsWith('-v') === true)
      this.sets(/\w+/.exec(words[0].field.slice(2) || (words[1]?.field ?? ''))?.[0] ?? '', spot)
    if (/^(export|declare|typeset|readonly|local|let)$/.test(name)) {
      for (const { field } of words) {
        const [, variable, value] = /^([A-Za-z_]\w*)(?:\[.*\])?\+?(?:=([\s\S]*))?$/.exec(field) ?? []
        if (variable === undefined) continue
        this.findings.set.add(variable)
        if (value !== undefined) this.memory.set(variable, value)
      }
    }
    if (!altering.has(name)) return
    if (name === 'set' && words.every(({ field }) => /^([-+][euo]+|pipefail|errexit|nounset)$/.test(field))) return
    // Forgets where programs are, and looks them up again.
    if (name === 'hash' && words.length === 1 && words[0]?.field === '-r') return
    if (name === 'set') this.memory.hasArguments = true
    this.note('altered', `"${name}" changes what the commands after it do.`)
  }
}

/** True if a later loop iteration may change the variable. */
function maySetAgain(name: string, { source, via }: ScriptContext): boolean {
  if (via.length > 0) return true
  if (!/\b(for|while|until|select)\b/.test(source)) return false
  if (/\b(read|mapfile|readarray|getopts|printf|declare|typeset|local|export|readonly)\b/.test(source)) return true
  return new RegExp(`\\b${name}\\+?=(?!\\d+(?:[\\s;)]|$))`).test(source)
}

const computing = new Set(
  'test [ printf read mapfile readarray getopts export declare typeset readonly local let unset trap eval wait'.split(
    ' ',
  ),
)
const altering = new Set('set shopt enable hash alias unalias source . eval exec'.split(' '))
const forks = /fork\s*(\(\))?\s+while\s+fork|while\s*\(?\s*(1|true)\s*\)?\s*[:{]\s*(os\.)?fork/i
