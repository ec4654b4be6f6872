import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  parse,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { isDangerousName, isSafeSetting } from './environment.ts'
import { isBomb } from './is-bomb.ts'
import { fieldsOf, type Piece, piecesOf, plainPiece, spell } from './piece.ts'
import { hole, isWhole, type Known, readWord, type ReadWord } from './read-word.ts'
import { type Inner, unwrap } from './unwrap.ts'
import { fetchers, interpreterOf } from './wrappers.ts'

/** A simple command with everything that judging it takes. */
export interface Found {
  /** The program and its words, at best guess. */
  pieces: readonly Piece[]
  /** The program without its folder, in small letters; null when it is not known. */
  name: string | null
  /** Words may be added to it. */
  adds: boolean
  assignments: readonly { name: string; value: string | null; safe: boolean }[]
  redirections: readonly { operator: string; target: ReadWord; descriptor: number | null }[]
  via: readonly string[]
  /** Where it may run; null when that cannot be told. */
  cwds: readonly string[] | null
  transparent: boolean
  remote: boolean
  /** It runs a file that it is named. */
  file: boolean
}

export interface Findings {
  commands: Found[]
  /** Every word that the parser saw at the top, for comparison with what the gate saw. */
  words: { at: number; value: string }[]
  /** Why it is more than simple commands, lists and pipes. */
  odd?: string
  /** Something in it changes what the names of commands mean from then on: functions, aliases, options. */
  altered?: string
  /** Names that are set by other means than an assignment (`for`, `read`). */
  set: Set<string>
  unseen?: string
  floor?: string
  overLimit?: string
}

interface Spot {
  cwds: readonly string[] | null
  via: readonly string[]
  remote: boolean
  input: Feed
  source: string
  /** The text is put together from guesses: nothing in it is certain. */
  guessed?: true
}

/** What a command gets to read: from the network, or text that is known. */
interface Feed {
  network: boolean
  text: string | null
}
const noFeed: Feed = { network: false, text: null }

/** Where the shell is after a command that succeeded, and after one that failed. */
interface Moves {
  ok: readonly string[] | null
  fail: readonly string[] | null
}

const deepest = 24
const mostCommands = 400
/** Words of all commands together: those of a wrapper count once more for what it wraps. */
const mostWords = 12_000
/** Text that is read again, as the argument of `eval` and the like, is bounded altogether. */
const mostAgain = 24 * 1024

export function findCommands(text: string, place: { cwd: string; home: string }): Findings {
  const finder = new Finder(place.home)
  finder.text(text, { cwds: [place.cwd], via: [], remote: false, input: noFeed, source: text })
  return finder.findings
}

class Finder {
  readonly findings: Findings = { commands: [], words: [], set: new Set() }
  #home: string
  #variables = new Map<string, string>()
  /** Variables that hold something from the network. */
  #fetched = new Set<string>()
  #again = 0
  #count = 0
  /** `set` gave the shell arguments. */
  #given = false

  constructor(home: string) {
    this.#home = home
  }

  text(text: string, spot: Spot): Moves {
    return this.#script(parse(text), { ...spot, source: text })
  }

  #script(script: ParsedScript, spot: Spot): Moves {
    const error = script.errors?.[0]
    if (error !== undefined) this.#unseen(`It cannot be read as a command: ${error.message}.`)
    return this.#list(script.commands, spot)
  }

  #list(statements: readonly Statement[], spot: Spot): Moves {
    let moves: Moves = { ok: spot.cwds, fail: spot.cwds }
    for (const { command, background } of statements) {
      const cwds = union(moves.ok, moves.fail)
      if (background === true) {
        this.#odd('It runs something in the background.')
        this.#node(command, { ...spot, cwds })
      } else {
        moves = this.#node(command, { ...spot, cwds })
      }
    }
    return moves
  }

  #node(node: SyntaxNode, spot: Spot): Moves {
    const stay: Moves = { ok: spot.cwds, fail: spot.cwds }
    switch (node.type) {
      case 'Command':
        return this.#command(node, spot)
      case 'Pipeline':
        return this.#pipeline(node, spot)
      case 'AndOr': {
        let moves = this.#node(node.commands[0] as SyntaxNode, spot)
        for (const [index, operator] of node.operators.entries()) {
          const next = node.commands[index + 1]
          if (next === undefined) break
          const before = moves
          const after = this.#node(next, { ...spot, cwds: operator === '&&' ? before.ok : before.fail })
          moves =
            operator === '&&'
              ? { ok: after.ok, fail: union(before.fail, after.fail) }
              : { ok: union(before.ok, after.ok), fail: after.fail }
        }
        return moves
      }
      case 'BraceGroup':
        this.#odd('It has a group.')
        return this.#list(node.body.commands, spot)
      case 'Subshell':
        this.#odd('It has a subshell.')
        if (/^\(\([^]*<</.test(spot.source.slice(node.pos, node.end)))
          this.#unseen('It has a here-document in a double subshell.')
        this.#list(node.body.commands, spot)
        return stay
      case 'Redirected': {
        this.#odd('It redirects more than a command.')
        const { redirections, input } = this.#redirections(node.redirects, spot)
        this.#found({ pieces: [], assignments: [], redirections }, spot)
        return this.#node(node.command, { ...spot, input })
      }
      case 'Function': {
        const { value } = node.name
        this.#odd('It defines a function.')
        this.findings.altered ??= `It defines a function, ${value}.`
        if (isBomb(node, value)) this.#floor('It starts copies of itself without end (a fork bomb).')
        this.#node(node.body, { ...spot, via: [...spot.via, `function ${value}`], input: noFeed })
        return this.#moved(node, spot)
      }
      case 'For':
      case 'Select':
        this.#odd('It has a loop.')
        this.#sets(node.name.value, spot)
        for (const word of node.wordlist ?? []) {
          const pieces = this.#read(word, spot)
          if (node.wordlist?.length === 1 && pieces.length === 1)
            this.#variables.set(node.name.value, pieces[0]?.field ?? hole)
        }
        this.#node(node.body, this.#within(node, spot))
        return this.#moved(node, spot)
      case 'CompoundList':
        return this.#list(node.commands, spot)
      case 'Statement':
        return this.#list([node], spot)
      default:
        this.#odd('It has more than simple commands.')
        this.#inside(node, this.#within(node, spot))
        return this.#moved(node, spot)
    }
  }

  /** Everything beneath a node that has no rule of its own. */
  #inside(node: SyntaxNode, spot: Spot): void {
    if (node.type === 'TestCommand' || node.type.startsWith('Arithmetic'))
      this.#computes(spot.source.slice(node.pos, node.end), spot)
    forEachChild(node, (child) => {
      if (child.type === 'Word') this.#read(child, spot)
      else if (isExecuted(child)) this.#node(child, spot)
      else this.#part(child, spot)
    })
  }

  /** A part of a word, or something between: only what it runs matters. */
  #part(node: SyntaxNode, spot: Spot): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion': {
        const { script } = node
        if (script === undefined) return this.#unseen('It has a substitution that cannot be read.')
        const source = script.source ?? spot.source
        const [only] = script.commands
        // Bash 5.2 joins the commands behind a here-document in a substitution: `a; b` becomes `a b`.
        if (node.text.includes('<<') && (script.commands.length > 1 || only?.command.type !== 'Command')) {
          this.#unseen('It has a here-document in a substitution.')
          this.findings.altered ??= 'It has a here-document in a substitution.'
        }
        this.#script(script, { ...spot, source, via: [...spot.via, 'substitution'], input: noFeed })
        return
      }
      case 'ExtendedGlob':
        // Bash knows these only when told to; otherwise the parentheses are a subshell.
        this.#unseen('It has a pattern that bash may take for a subshell.')
        this.#reread(node.pattern, { ...spot, via: [...spot.via, 'subshell'] })
        forEachChild(node, (child) => this.#part(child, spot))
        return
      default:
        if (isExecuted(node)) return void this.#node(node, spot)
        if (node.type === 'ArithmeticExpansion') this.#computes(node.text, spot)
        // Bash 5.2 itself joins commands wrongly there.
        if (node.type === 'ParameterExpansion' && node.text.includes('<<'))
          this.#unseen('It has a here-document in an expansion.')
        if (
          node.type === 'ParameterExpansion' &&
          node.operation?.type === 'Transform' &&
          node.operation.operand.value !== 'Q'
        )
          this.#unseen('A variable in it is expanded once more.')
        if (
          node.type === 'ParameterExpansion' &&
          node.operation?.type === 'Default' &&
          node.operation.operator.endsWith('=')
        )
          this.#sets(node.parameter, spot)
        forEachChild(node, (child) => this.#part(child, spot))
    }
  }

  #pipeline(node: Pipeline, spot: Spot): Moves {
    for (const { type } of node.prefixes) this.#odd(type === 'Time' ? 'It takes the time.' : 'It has a negation.')
    const [only] = node.commands
    if (node.commands.length === 1 && only !== undefined) {
      const { ok, fail } = this.#node(only, spot)
      return node.prefixes.some(({ type }) => type === 'Negation') ? { ok: fail, fail: ok } : { ok, fail }
    }
    let input = spot.input
    for (const command of node.commands) {
      const before = this.findings.commands.length
      this.#node(command, { ...spot, input })
      const fetched = this.findings.commands.slice(before).some(({ name }) => name !== null && fetchers.has(name))
      const text = command.type === 'Command' ? this.#printed(command, spot) : undefined
      input = { network: input.network || fetched, text: text ?? null }
    }
    return { ok: spot.cwds, fail: spot.cwds }
  }

  #command(node: Command, spot: Spot): Moves {
    const pieces: Piece[] = []
    const assignments: Found['assignments'][number][] = []
    for (const part of node.prefix)
      if (part.type === 'Assignment') assignments.push(this.#assign(part, node.name === undefined, spot))
    if (node.name !== undefined) pieces.push(...this.#read(node.name, spot))
    let end = node.name?.end
    for (const part of node.suffix) {
      // Two words that touch are one to bash.
      if (part.pos === end && part.type === 'Word') this.#unseen('Words in it can be parted in two ways.')
      end = part.type === 'Word' ? part.end : undefined
      if (part.type === 'Word') pieces.push(...this.#read(part, spot))
      else if (part.type === 'Assignment') pieces.push(this.#argument(part, spot))
    }
    const { redirections, input } = this.#redirections(node.redirects, spot)
    if (node.name === undefined && assignments.length === 0 && redirections.length === 0)
      return { ok: spot.cwds, fail: spot.cwds }
    return this.#found({ pieces, assignments, redirections }, { ...spot, input })
  }

  /** A command, from a parser or from the words of another; then what it runs in turn. */
  #found(
    given: Pick<Found, 'pieces' | 'assignments' | 'redirections'> & { adds?: true; transparent?: boolean },
    spot: Spot,
  ): Moves {
    const { pieces, assignments, redirections } = given
    const stay: Moves = { ok: spot.cwds, fail: spot.cwds }
    const first = pieces[0]
    const name =
      first !== undefined && isWhole(first.field) ? (first.field.split('/').at(-1) ?? '').toLowerCase() : null
    const found: Found = {
      pieces,
      name,
      adds: given.adds === true,
      assignments,
      redirections,
      via: spot.via,
      cwds: spot.cwds,
      transparent: false,
      remote: spot.remote,
      file: false,
    }
    this.#count += pieces.length
    if (this.findings.commands.length >= mostCommands || this.#count > mostWords) {
      this.findings.overLimit ??= 'It has too many commands to be looked through.'
      return stay
    }
    this.findings.commands.push(found)
    if (first === undefined) return stay
    // A guess is good enough to refuse by, not to let anything pass.
    if (!first.certain) this.#unseen(`What "${first.word.text}" stands for is known only when it runs.`)
    if (first.network) this.#floor('It runs what comes from the network.')
    if (name === null) return stay
    if (spot.via.length > deepest) {
      this.findings.overLimit ??= 'Commands are nested too deep in it.'
      return stay
    }
    if (name === 'read' || name === 'mapfile' || name === 'readarray' || name === 'getopts') {
      for (const { field } of pieces.slice(1)) {
        this.#sets(field, spot)
        this.#latent(field, spot)
      }
      if (spot.input.network) for (const { field } of pieces.slice(1)) this.#fetched.add(field)
    }
    if (
      /^(export|declare|typeset|readonly|local|let|set|shopt|unset|enable|hash|alias|unalias|source|\.|eval|trap|exec|printf|test|\[)$/.test(
        name,
      )
    )
      this.#builtin(name, pieces, spot)
    const { inner, code, readsCode, runsCode, file } = unwrap(name, pieces)
    found.file = file === true
    if (runsCode && code.some(({ network }) => network)) this.#floor('It runs what comes from the network.')
    if (readsCode) this.#readsCode(name, spot)
    if (runsCode && code.some(({ certain }) => !certain)) this.#unseen('A part of it is known only when it runs.')
    if (runsCode && given.adds === true) {
      this.#unseen(`What ${name} will be told is known only when it runs.`)
      if (spot.input.network) this.#floor(`It hands to ${name} what comes from the network.`)
    }
    if (code.some(({ field }) => forks.test(field)))
      this.#floor('It starts copies of itself without end (a fork bomb).')
    found.transparent =
      inner.length > 0 &&
      inner.every(({ transparent }) => transparent === true) &&
      assignments.every(({ safe }) => safe)
    let moves = stay
    for (const one of inner) moves = this.#inner(one, assignments, spot)
    if (/^(cd|pushd|popd)$/.test(name)) return name === 'cd' ? this.#cd(pieces, spot) : { ok: null, fail: null }
    // `command cd x` and `eval "cd x"` move the shell, other programs do not.
    return /^(command|builtin|eval)$/.test(name)
      ? moves
      : name === 'source' || name === '.'
        ? { ok: null, fail: null }
        : stay
  }

  /** `outer`: what was set for the command around it holds for this one too. */
  #inner(inner: Inner, outer: Found['assignments'], spot: Spot): Moves {
    const within: Spot = {
      ...spot,
      via: [...spot.via, inner.via],
      remote: spot.remote || inner.remote === true,
    }
    if (inner.kind === 'script') {
      const guessed = inner.pieces.every(({ certain }) => certain) ? {} : { guessed: true as const }
      return this.#reread(fieldsOf(inner.pieces).map(spell).join(' '), { ...within, ...guessed })
    }
    const assigned = (inner.assigned ?? []).map(({ field, certain }) => {
      const [, name = '', value = ''] = /^([^=]*)=([\s\S]*)$/.exec(field) ?? []
      return { name, value: certain ? value : null, safe: isSafeSetting(name, certain ? value : null) }
    })
    const cwds = inner.elsewhere === true ? null : spot.cwds
    const { pieces } = inner
    const assignments = [...outer, ...assigned]
    return this.#found(
      { pieces, assignments, redirections: [], ...(inner.adds && { adds: true }) },
      { ...within, cwds },
    )
  }

  /** Text that a shell will read once more. */
  #reread(text: string, spot: Spot): Moves {
    this.#again += text.length
    if (this.#again > mostAgain || spot.via.length > deepest) {
      this.findings.overLimit ??= 'Commands are nested too deep in it.'
      return { ok: null, fail: null }
    }
    return this.text(text, spot)
  }

  #readsCode(name: string, spot: Spot): void {
    const { network, text } = spot.input
    if (network) this.#floor(`It hands to ${name} what comes from the network.`)
    if (text === null || interpreterOf(name) !== undefined)
      return this.#unseen(`What ${name} will be told is known only when it runs.`)
    if (!isWhole(text)) this.#unseen('A part of it is known only when it runs.')
    this.#reread(spell(text), { ...spot, via: [...spot.via, `input of ${name}`], input: noFeed, guessed: true })
  }

  /** Builtins that change the shell itself, or that compute with the words they get. */
  #builtin(name: string, pieces: readonly Piece[], spot: Spot): void {
    for (const { field } of pieces.slice(1)) this.#latent(field, spot)
    if (/^(test|\[|printf|trap|unset|local)$/.test(name)) {
      if (name === 'printf' && pieces[1]?.field.startsWith('-v') === true)
        this.#sets(/\w+/.exec(pieces[1].field.slice(2) || (pieces[2]?.field ?? ''))?.[0] ?? '', spot)
      return
    }
    if (/^(export|declare|typeset|readonly|let)$/.test(name)) {
      for (const { field } of pieces.slice(1)) {
        const [, variable, value] = /^([A-Za-z_]\w*)(?:\[.*\])?\+?(?:=([\s\S]*))?$/.exec(field) ?? []
        if (variable === undefined) continue
        this.findings.set.add(variable)
        if (value !== undefined) this.#variables.set(variable, value)
      }
      return
    }
    if (name === 'set' && pieces.slice(1).every(({ field }) => /^([-+][euo]+|pipefail|errexit|nounset)$/.test(field)))
      return
    if (name === 'set') this.#given = true
    this.findings.altered ??= `"${name}" changes what the commands behind it do.`
  }

  /** A variable that is set by other means than an assignment. One that matters counts as a command of its own. */
  #sets(name: string, spot: Spot): void {
    this.findings.set.add(name)
    this.#variables.delete(name)
    if (!isDangerousName(name)) return
    this.#found({ pieces: [], assignments: [{ name, value: null, safe: false }], redirections: [] }, spot)
  }

  /** Arithmetic can set variables. */
  #computes(text: string, spot: Spot): void {
    this.#odd('It computes.')
    if (/[<>]\(/.test(text)) this.#unseen('It computes with what a command prints.')
    for (const [name] of text.matchAll(/[A-Za-z_]\w*/g)) if (isDangerousName(name)) this.#sets(name, spot)
    this.#latent(text, spot)
  }

  /** Where text is computed with, what looks like a substitution in it is one, however it was quoted. */
  #latent(text: string, spot: Spot): void {
    if (!/\$\(|`/.test(text)) return
    this.#odd('It has a substitution in a quoted text.')
    this.#reread(`: "${text.replaceAll(/["\\]/g, '\\$&')}"`, { ...spot, via: [...spot.via, 'quoted text'] })
  }

  #assign(node: Assignment, own: boolean, spot: Spot): Found['assignments'][number] {
    const { name } = node
    if (node.index !== undefined || node.append === true || node.value.type === 'ArrayValue') {
      this.#odd('It sets a variable in an odd way.')
      if (node.index !== undefined) this.#read(node.index, spot)
      if (node.value.type === 'ArrayValue') for (const word of node.value.elements) this.#read(word, spot)
      this.#variables.delete(name)
      if (node.value.type === 'Word') this.#read(node.value, spot)
      return { name, value: null, safe: false }
    }
    const pieces = this.#read(node.value, spot, `${name}=`)
    const whole = pieces.every(({ certain }) => certain)
    const guess = fieldsOf(pieces).join(' ')
    const value = whole ? guess : null
    if (own) {
      this.#variables.set(name, guess.length > 2000 ? hole : guess)
      if (name === 'IFS') this.#unseen('It changes how words are parted.')
      if (pieces.some(({ network }) => network)) this.#fetched.add(name)
    }
    if (value !== null) this.#latent(value, spot)
    if (holdsCommand.test(name)) this.#reread(spell(guess), { ...spot, via: [...spot.via, name], input: noFeed })
    return { name, value, safe: own ? !isDangerousName(name) : isSafeSetting(name, value) }
  }

  /** `export A=b`: an assignment that is an argument. */
  #argument(node: Assignment, spot: Spot): Piece {
    if (node.index !== undefined) this.#read(node.index, spot)
    if (node.value.type === 'ArrayValue') {
      this.#odd('It sets an array.')
      for (const word of node.value.elements) this.#read(word, spot)
      return plainPiece(`${node.name}=${hole}`, false)
    }
    const prefix = `${node.name}${node.append === true ? '+' : ''}=`
    const pieces = this.#read(node.value, spot, prefix)
    const network = pieces.some((piece) => piece.network)
    return {
      ...plainPiece(
        prefix + fieldsOf(pieces).join(' '),
        pieces.every(({ certain }) => certain),
        network,
      ),
    }
  }

  #redirections(
    nodes: readonly Redirection[],
    spot: Spot,
  ): { redirections: Found['redirections'][number][]; input: Feed } {
    const redirections: Found['redirections'][number][] = []
    let input = spot.input
    for (const node of nodes) {
      const descriptor = node.descriptor?.type === 'FileDescriptor' ? node.descriptor.value : null
      if (node.descriptor?.type === 'FileDescriptorVariable') this.#odd('It opens a file for later.')
      if (node.type === 'HereDoc') {
        this.#odd('It has a here-document.')
        input = { network: false, text: this.#hereDocument(node, spot) }
        continue
      }
      if (node.target === undefined) continue
      const pieces = this.#read(node.target, spot)
      const network = pieces.some((piece) => piece.network)
      if (node.type === 'HereString') {
        this.#odd('It has a here-string.')
        input = { network, text: fieldsOf(pieces).join(' ') }
        continue
      }
      if (node.operator.startsWith('<')) input = { network, text: null }
      const target = this.#word(node.target, spot)
      if (node.operator.endsWith('&') && /^-./.test(target.text))
        this.#unseen('Bash ends a redirection in it before the parser does.')
      redirections.push({ operator: node.operator, target, descriptor })
    }
    return { redirections, input }
  }

  #hereDocument({ operator, delimiter, body }: HereDoc, spot: Spot): string {
    if (delimiter?.quoted !== true) for (const part of body.parts ?? []) this.#part(part, spot)
    return operator === '<<-' ? body.text.replaceAll(/^\t+/gm, '') : body.text
  }

  /** The words that a word becomes, once everything that it runs has been found. */
  #read(word: Word, spot: Spot, prefix = ''): Piece[] {
    let network = false
    const { parts } = word
    if (parts !== undefined) {
      const before = this.findings.commands.length
      for (const part of parts) this.#part(part, spot)
      network =
        this.findings.commands.slice(before).some(({ name }) => name !== null && fetchers.has(name)) ||
        (this.#fetched.size > 0 && [...this.#fetched].some((name) => new RegExp(`\\$\\{?${name}\\b`).test(word.text)))
    }
    const read = this.#word(word, spot)
    if (spot.via.length === 0) this.findings.words.push({ at: word.pos, value: prefix + (read.value ?? word.text) })
    const pieces = piecesOf(read, network)
    return spot.guessed === true ? pieces.map((piece) => ({ ...piece, certain: false })) : pieces
  }

  #word(word: Word, { cwds, via }: Spot): ReadWord {
    const known: Known = {
      home: this.#home,
      cwd: cwds?.length === 1 ? (cwds[0] ?? null) : null,
      variables: this.#variables,
      bare: !this.#given && via.length === 0,
      output: (script) => this.#output(script, cwds),
    }
    return readWord(word, known)
  }

  /** What a substitution prints, when it only says what it is told. */
  #output(script: ParsedScript, cwds: Spot['cwds']): string | undefined {
    const [only] = script.commands
    if (script.commands.length !== 1 || only?.command.type !== 'Command') return undefined
    return this.#printed(only.command, { cwds, via: [''], remote: false, input: noFeed, source: '' })
  }

  #printed(node: Command, spot: Spot): string | undefined {
    const name = node.name?.value
    if (name === 'pwd') return spot.cwds?.length === 1 ? spot.cwds[0] : undefined
    if (name === undefined || !/^(echo|printf|which|command|cat)$/.test(name)) return undefined
    const words = node.suffix.flatMap((part) => (part.type === 'Word' ? this.#word(part, spot).fields : []))
    const said = words.filter((word) => !/^-[neEvVap]+$/.test(word))
    if (name !== 'cat') return name === 'printf' && said.length > 1 ? said.slice(1).join('\n') : said.join(' ')
    const document = node.redirects.find(({ type }) => type === 'HereDoc')
    return said.length === 0 && document?.type === 'HereDoc' ? document.body.text : undefined
  }

  #cd(pieces: readonly Piece[], { cwds }: Spot): Moves {
    const words = fieldsOf(pieces.slice(1)).filter((word) => word !== '--')
    const [folder = this.#home, more] = words
    if (cwds === null || more !== undefined || !isWhole(folder) || folder.startsWith('-'))
      return { ok: null, fail: null }
    const entered = cwds.map((cwd) => enter(cwd, folder))
    return { ok: entered.some((cwd) => cwd.length > 4096) ? null : entered, fail: cwds }
  }

  /** Inside a loop or a branch, and after it, a `cd` may or may not have happened. */
  #within(node: SyntaxNode, spot: Spot): Spot {
    return mayMove(spot.source.slice(node.pos, node.end)) ? { ...spot, cwds: null } : spot
  }

  #moved(node: SyntaxNode, spot: Spot): Moves {
    const { cwds } = this.#within(node, spot)
    return { ok: cwds, fail: cwds }
  }

  #odd(why: string): void {
    this.findings.odd ??= why
  }

  #unseen(why: string): void {
    this.findings.unseen ??= why
  }

  #floor(why: string): void {
    this.findings.floor ??= why
  }
}

const forks = /fork\s*(\(\))?\s+while\s+fork|while\s*\(?\s*(1|true)\s*\)?\s*[:{]\s*(os\.)?fork/i

const mayMove = (text: string): boolean => /\b(cd|pushd|popd|source|eval)\b|(^|[\s;&|])\.\s/.test(text)

/** Variables whose value programs run. */
const holdsCommand =
  /PAGER|EDITOR|VISUAL|BROWSER|COMMAND|ASKPASS|EXTERNAL_DIFF|CONFIG_VALUE|WRAPPER|LESSOPEN|_RSH$|^SHELL$/

const executed = new Set<string>([
  'Statement',
  'Command',
  'Pipeline',
  'AndOr',
  'If',
  'For',
  'ArithmeticFor',
  'Select',
  'While',
  'Subshell',
  'BraceGroup',
  'Case',
  'TestCommand',
  'ArithmeticCommand',
  'Redirected',
  'Function',
  'Coproc',
  'CompoundList',
])

function isExecuted(node: SyntaxNode): boolean {
  return executed.has(node.type)
}

/** `cd` goes by what is written: `a/..` is where one was, also when `a` is a link. */
function enter(cwd: string, folder: string): string {
  const parts = folder.startsWith('/') ? [] : cwd.split('/').filter((part) => part !== '')
  for (const part of folder.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

function union(one: readonly string[] | null, other: readonly string[] | null): readonly string[] | null {
  if (one === null || other === null) return null
  if (one === other) return one
  const all = [...new Set([...one, ...other])]
  return all.length > 8 ? null : all
}
