import {
  type Assignment,
  type Command,
  forEachChild,
  type Function,
  type HereDoc,
  parse,
  type ParsedScript,
  type Pipeline,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type Word,
} from 'unbash'
import { CommandCollector } from './command-collector.ts'
import { isSafeAssignment, isSafeSetting } from './environment-variables.ts'
import { type ExpandedWord, expandedWords, fieldAsShell, fieldsOf, hole, syntheticWord } from './read-word.ts'
import {
  type CommandFinding,
  type CommandInput,
  type FolderChange,
  mayChangeFolder,
  noInput,
  type ScriptContext,
  type ScriptFindings,
  stayIn,
  unionFolders,
} from './shell-state.ts'
import { fetchers } from './wrappers.ts'

/** True if a function starts itself twice in one pipe or in the background: `:(){ :|:& };:`. */
function isForkBomb(definition: Function, name: string): boolean {
  let bomb = false
  const callsOf = (node: SyntaxNode): number => {
    let count = node.type === 'Command' && node.name?.value === name ? 1 : 0
    forEachChild(node, (child) => {
      count += callsOf(child)
    })
    if (node.type === 'Pipeline' && count > 1) bomb = true
    if (node.type === 'Statement' && node.background === true && count > 0) bomb = true
    return count
  }
  callsOf(definition.body)
  return bomb
}

export function findCommands(text: string, place: { cwd: string; home: string }): ScriptFindings {
  const finder = new Finder(place.home)
  finder.text(text, { cwds: [place.cwd], via: [], remote: false, input: noInput, source: text })
  return finder.collector.findings
}

class Finder {
  readonly collector: CommandCollector

  constructor(home: string) {
    this.collector = new CommandCollector(home, (text, spot) => this.text(text, spot))
  }

  text(text: string, spot: ScriptContext): FolderChange {
    return this.#script(parse(text), { ...spot, source: text })
  }

  #script(script: ParsedScript, spot: ScriptContext): FolderChange {
    const error = script.errors?.[0]
    if (error !== undefined) this.collector.note('unseen', `It cannot be parsed as a command: ${error.message}.`)
    return this.#list(script.commands, spot)
  }

  #list(statements: readonly Statement[], spot: ScriptContext): FolderChange {
    let moves = stayIn(spot.cwds)
    for (const { command, background } of statements) {
      const within = { ...spot, cwds: unionFolders(moves.ok, moves.fail) }
      const after = this.#node(command, within)
      if (background === true) this.collector.note('odd', 'It runs something in the background.')
      else moves = after
    }
    return moves
  }

  #node(node: SyntaxNode, spot: ScriptContext): FolderChange {
    switch (node.type) {
      case 'Command':
        return this.#command(node, spot)
      case 'Pipeline':
        return this.#pipeline(node, spot)
      case 'Statement':
        return this.#list([node], spot)
      case 'CompoundList':
        return this.#list(node.commands, spot)
      case 'AndOr': {
        let moves = this.#node(node.commands[0] as SyntaxNode, spot)
        for (const [index, operator] of node.operators.entries()) {
          const next = node.commands[index + 1]
          if (next === undefined) break
          const before = moves
          const after = this.#node(next, { ...spot, cwds: operator === '&&' ? before.ok : before.fail })
          moves =
            operator === '&&'
              ? { ok: after.ok, fail: unionFolders(before.fail, after.fail) }
              : { ok: unionFolders(before.ok, after.ok), fail: after.fail }
        }
        return moves
      }
      default:
        this.collector.note('odd', 'It has more than simple commands.')
        return this.#compound(node, spot)
    }
  }

  #compound(node: SyntaxNode, spot: ScriptContext): FolderChange {
    // Inside and after a loop or branch, a `cd` may or may not have run.
    const within = mayChangeFolder(spot.source.slice(node.pos, node.end)) ? { ...spot, cwds: null } : spot
    switch (node.type) {
      case 'BraceGroup':
        return this.#list(node.body.commands, spot)
      case 'Subshell':
        if (/^\(\([^]*<</.test(spot.source.slice(node.pos, node.end)))
          this.collector.note('unseen', 'It has a here-document in a double subshell.')
        this.#list(node.body.commands, spot)
        return stayIn(spot.cwds)
      case 'Redirected': {
        const { redirections, input } = this.#redirections(node.redirects, spot)
        this.collector.take({ pieces: [], assignments: [], redirections }, spot)
        return this.#node(node.command, { ...spot, input })
      }
      case 'Function': {
        const { value } = node.name
        this.collector.note('altered', `It defines a function, ${value}.`)
        if (isForkBomb(node, value)) this.collector.note('floor', 'It endlessly starts copies of itself.')
        this.#node(node.body, { ...spot, via: [...spot.via, `function ${value}`], input: noInput })
        return stayIn(within.cwds)
      }
      case 'For':
      case 'Select': {
        this.collector.sets(node.name.value, spot)
        const pieces = (node.wordlist ?? []).flatMap((word) => this.#read(word, spot))
        const isOne = pieces.length === 1 || pieces.every(({ field }) => /^\d+$/.test(field))
        if (isOne) this.collector.memory.set(node.name.value, pieces[0]?.field ?? hole)
        this.#node(node.body, within)
        return stayIn(within.cwds)
      }
      default:
        if (node.type === 'TestCommand' || node.type.startsWith('Arithmetic')) {
          const text = spot.source.slice(node.pos, node.end)
          this.collector.computes(text, spot)
          const [, head = text] = /^for\s*\(\(([^]*?)\)\)/.exec(text) ?? []
          const compared = /\s-(eq|ne|lt|le|gt|ge|v|R)\s/g
          if (node.type !== 'TestCommand' || compared.test(text))
            this.collector.evaluates(head.replaceAll(compared, ' '), spot)
        }
        forEachChild(node, (child) =>
          child.type === 'Word' ? void this.#read(child, within) : this.#part(child, within),
        )
        return stayIn(within.cwds)
    }
  }

  /** Visits a part of a word or another node for the commands it runs and the variables it sets. */
  #part(node: SyntaxNode, spot: ScriptContext): void {
    const { collector } = this
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        return this.#substitution(node.text, node.script, spot)
      case 'ExtendedGlob':
        // Bash supports these only if enabled. Otherwise the parentheses are a subshell.
        collector.note('unseen', 'It has a pattern that bash may treat as a subshell.')
        collector.reread(node.pattern, { ...spot, via: [...spot.via, 'subshell'] })
        break
      case 'ArithmeticExpansion':
        // With unbalanced brackets, bash treats `$((` as a subshell in a substitution.
        if (!/^[\w\s+*/%<>=!^~?:,[\]${}-]*$/.test(withoutBrackets(node.text)))
          collector.note('unseen', 'Its arithmetic is ambiguous.')
        collector.computes(withoutBrackets(node.text), spot)
        collector.evaluates(withoutBrackets(node.text), spot)
        break
      case 'ParameterExpansion':
        // Bash 5.2 itself joins commands incorrectly here.
        if (node.text.includes('<<')) collector.note('unseen', 'It has a here-document in an expansion.')
        if (node.operation?.type === 'Transform' && node.operation.operand.value !== 'Q')
          collector.note('unseen', 'A variable in it is expanded twice.')
        if (node.prefix === '!' && node.operation?.type !== 'Names' && !/^[@*]$/.test(node.index?.text ?? ''))
          collector.evaluates(`$${node.parameter}`, spot)
        if (node.index !== undefined && !/^[@*]$/.test(node.index.text)) collector.evaluates(node.index.text, spot)
        if (node.operation?.type === 'Slice')
          collector.evaluates(node.text.slice(node.text.indexOf(':', node.parameterEnd - node.pos)), spot)
        if (node.operation?.type === 'Default' && node.operation.operator.endsWith('='))
          collector.sets(node.parameter, spot)
        break
      default:
        if (executed.has(node.type)) return void this.#node(node, spot)
    }
    forEachChild(node, (child) => this.#part(child, spot))
  }

  #substitution(text: string, script: ParsedScript | undefined, spot: ScriptContext): void {
    if (script === undefined) return this.collector.note('unseen', 'It has a substitution that cannot be parsed.')
    const [only] = script.commands
    // Bash 5.2 joins the commands after a here-document in a substitution: `a; b` becomes `a b`.
    if (text.includes('<<') && (script.commands.length > 1 || only?.command.type !== 'Command')) {
      this.collector.note('unseen', 'It has a here-document in a substitution.')
      this.collector.note('altered', 'It has a here-document in a substitution.')
    }
    const source = script.source ?? spot.source
    this.#script(script, { ...spot, source, via: [...spot.via, 'substitution'], input: noInput })
  }

  #pipeline(node: Pipeline, spot: ScriptContext): FolderChange {
    if (node.prefixes.length > 0) this.collector.note('odd', 'It times a command or negates its result.')
    const [only] = node.commands
    if (node.commands.length === 1 && only !== undefined) {
      const { ok, fail } = this.#node(only, spot)
      return node.prefixes.some(({ type }) => type === 'Negation') ? { ok: fail, fail: ok } : { ok, fail }
    }
    let input = spot.input
    for (const command of node.commands) {
      const before = this.collector.findings.commands.length
      this.#node(command, { ...spot, input })
      const text = command.type === 'Command' ? this.collector.memory.printed(command, spot) : undefined
      input = { network: input.network || this.#fetchedSince(before), text: text ?? null, certain: false }
    }
    return stayIn(spot.cwds)
  }

  #command(node: Command, spot: ScriptContext): FolderChange {
    const pieces: ExpandedWord[] = []
    const assignments: CommandFinding['assignments'][number][] = []
    for (const part of node.prefix)
      if (part.type === 'Assignment') assignments.push(this.#assign(part, node.name === undefined, spot))
    if (node.name !== undefined) pieces.push(...this.#read(node.name, spot))
    let end = node.name?.end
    for (const part of node.suffix) {
      // Bash treats two adjacent words as one.
      if (part.pos === end && part.type === 'Word') this.collector.note('unseen', 'Its word splitting is ambiguous.')
      end = part.type === 'Word' ? part.end : undefined
      if (part.type === 'Word') pieces.push(...this.#read(part, spot))
      else if (part.type === 'Assignment') pieces.push(this.#argument(part, spot))
    }
    const { redirections, input } = this.#redirections(node.redirects, spot)
    return this.collector.take({ pieces, assignments, redirections }, { ...spot, input })
  }

  /** `own`: no command follows, so the shell keeps the variable. */
  #assign(node: Assignment, own: boolean, spot: ScriptContext): CommandFinding['assignments'][number] {
    const { name, value } = node
    const { memory } = this.collector
    if (node.index !== undefined) this.#read(node.index, spot)
    if (value.type === 'ArrayValue' || node.index !== undefined || node.append === true) {
      this.collector.note('odd', 'It sets a variable in an unusual way.')
      for (const word of value.type === 'ArrayValue' ? value.elements : [value]) this.#read(word, spot)
      memory.forget(name)
      return { name, value: null, safe: false }
    }
    const pieces = this.#read(value, spot, `${name}=`)
    const guess = fieldsOf(pieces).join(' ')
    const certain = pieces.every((piece) => piece.certain) ? guess : null
    if (own) {
      memory.set(name, guess)
      if (name === 'IFS') this.collector.note('unseen', 'It changes how words are split.')
      if (pieces.some(({ network }) => network)) memory.taint(name)
    }
    this.collector.latent(guess, spot)
    if (holdsCommand.test(name))
      this.collector.reread(fieldAsShell(guess), { ...spot, via: [...spot.via, name], input: noInput })
    if (runsMore.test(name)) this.collector.note('unseen', `What ${name} makes programs run is only known at run time.`)
    return { name, value: certain, safe: own ? isSafeAssignment(name, certain) : isSafeSetting(name, certain) }
  }

  /** Handles an assignment passed as an argument: `export A=b`. */
  #argument(node: Assignment, spot: ScriptContext): ExpandedWord {
    const { name, value } = node
    if (node.index !== undefined) this.#read(node.index, spot)
    if (value.type === 'ArrayValue') {
      this.collector.note('odd', 'It sets an array.')
      for (const word of value.elements) this.#read(word, spot)
      return syntheticWord(`${name}=${hole}`, false)
    }
    const prefix = `${name}${node.append === true ? '+' : ''}=`
    const pieces = this.#read(value, spot, prefix)
    const certain = pieces.every((piece) => piece.certain)
    const network = pieces.some((piece) => piece.network)
    return syntheticWord(prefix + fieldsOf(pieces).join(' '), certain, network)
  }

  #redirections(
    nodes: readonly Redirection[],
    spot: ScriptContext,
  ): { redirections: CommandFinding['redirections']; input: CommandInput } {
    const redirections: CommandFinding['redirections'][number][] = []
    let input = spot.input
    for (const node of nodes) {
      if (node.descriptor?.type === 'FileDescriptorVariable')
        this.collector.note('odd', 'It opens a file for later use.')
      if (node.type === 'HereDoc') {
        input = this.#hereDocument(node, spot)
        continue
      }
      if (node.target === undefined) continue
      const pieces = this.#read(node.target, spot)
      const network = pieces.some((piece) => piece.network)
      if (node.type === 'HereString') {
        this.collector.note('odd', 'It has a here-string.')
        input = { network, text: fieldsOf(pieces).join(' '), certain: pieces.every(({ certain }) => certain) }
        continue
      }
      if (node.operator.startsWith('<')) input = { ...noInput, network }
      if (node.operator.endsWith('&') && /^-./.test(node.target.text))
        this.collector.note('unseen', 'Bash ends one of its redirections earlier than the parser does.')
      redirections.push({ operator: node.operator, target: this.collector.memory.word(node.target, spot) })
    }
    return { redirections, input }
  }

  #hereDocument({ operator, delimiter, body }: HereDoc, spot: ScriptContext): CommandInput {
    this.collector.note('odd', 'It has a here-document.')
    const before = this.collector.findings.commands.length
    const literal = delimiter?.quoted === true
    if (!literal) for (const part of body.parts ?? []) this.#part(part, spot)
    return {
      network: this.#fetchedSince(before),
      text: operator === '<<-' ? body.text.replaceAll(/^\t+/gm, '') : body.text,
      certain: literal || !/[$`\\]/.test(body.text),
    }
  }

  #read(word: Word, spot: ScriptContext, prefix = ''): ExpandedWord[] {
    const { findings, memory } = this.collector
    const before = findings.commands.length
    for (const part of word.parts ?? []) this.#part(part, spot)
    const read = memory.word(word, spot)
    if (spot.via.length === 0)
      findings.words.push({ at: word.pos, value: prefix + (read.value ?? word.text), text: prefix + word.text })
    const pieces = expandedWords(read, this.#fetchedSince(before) || memory.isTainted(word.text))
    return spot.guessed === true ? pieces.map((piece) => ({ ...piece, certain: false })) : pieces
  }

  #fetchedSince(count: number): boolean {
    const { commands } = this.collector.findings
    for (let at = count; at < commands.length; at++) if (fetchers.has(commands[at]?.name ?? '')) return true
    return false
  }
}

/** Returns the contents of `$((…))` or `$[…]`. */
function withoutBrackets(text: string): string {
  return text.replace(/^\$(\(\(|\[)/, '').replace(/(\)\)|\])$/, '')
}

/** Variables whose values programs execute. */
const holdsCommand =
  /PAGER|EDITOR|VISUAL|BROWSER|COMMAND|ASKPASS|EXTERNAL_DIFF|CONFIG_VALUE|WRAPPER|LESSOPEN|_RSH$|^SHELL$/

/** Variables that make programs load or run additional code. */
const runsMore =
  /^(GIT_CONFIG|GIT_SSH|GIT_EXEC|LD_|DYLD_|BASH_ENV$|ENV$|NODE_OPTIONS$|PYTHONSTARTUP$|PERL5OPT$|RUBYOPT$)/

const executed = new Set<string>(
  'Statement Command Pipeline AndOr If For ArithmeticFor Select While Subshell BraceGroup Case TestCommand ArithmeticCommand Redirected Function Coproc CompoundList'.split(
    ' ',
  ),
)
