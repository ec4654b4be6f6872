/**
 * Server messages by kind, as pairs of English and translation. `{}` matches any text. `{1}`, `{2}` and so on reorder
 * placeholders, and `{2~}` is itself a server message to translate. Of several that match, the one with the most fixed
 * text counts.
 */
export interface ServerTexts {
  /** Action names of calls, for any tool. */
  action: ServerTextPairs
  /** Titles of calls that start with a verb. Excludes titles given by a model or user. */
  title: ServerTextPairs
  summary: ServerTextPairs
  /** Facts of a document, one by one: `12 pages`. */
  fact: ServerTextPairs
  /** Everything else: reasons, descriptions, states, errors. */
  text: ServerTextPairs
}

export type ServerTextPairs = readonly (readonly [english: string, own: string])[]

type ServerTextKind = keyof ServerTexts
type CompiledTexts = Record<ServerTextKind, { pattern: RegExp; own: string }[]>

let compiledTexts: CompiledTexts | undefined
/** Longer texts are not server messages. */
const maxLength = 4000

export function setServerTexts(said: ServerTexts | undefined): void {
  compiledTexts = said && {
    action: compileAll(said.action),
    title: compileAll(said.title),
    summary: compileAll(said.summary),
    fact: compileAll(said.fact),
    text: compileAll(said.text),
  }
}

/** Translates a server message line by line. Returns lines without a translation unchanged. */
export function translateServerText(text: string, ...kinds: readonly ServerTextKind[]): string {
  const all = compiledTexts
  if (all === undefined || text.length > maxLength) return text
  const rules = kinds.flatMap((kind) => all[kind])
  return text
    .split('\n')
    .map((line) => translate(line, rules))
    .join('\n')
}

/** Translates a list of facts: `7 paragraphs, 1 table`. */
export function translateFacts(text: string): string {
  return text
    .split(', ')
    .map((fact) => translateServerText(fact, 'fact'))
    .join(', ')
}

/** Translates the summary of a call, which may be a list of facts. */
export function translateSummary(text: string): string {
  const own = translateServerText(text, 'summary')
  return own === text ? translateFacts(text) : own
}

function translate(line: string, rules: CompiledTexts[ServerTextKind]): string {
  for (const { pattern, own } of rules) {
    const found = pattern.exec(line)
    if (found === null) continue
    let place = 0
    return own.replaceAll(/\{(\d?)(~?)\}/g, (_, number: string, again: string) => {
      const filled = found[number === '' ? ++place : Number(number)] ?? ''
      return again === '' ? filled : translate(filled, rules)
    })
  }
  // Translate several sentences one by one.
  const sentences = line.split(/(?<=\.) (?=["A-Z])/)
  return sentences.length < 2 ? line : sentences.map((sentence) => translate(sentence, rules)).join(' ')
}

function compileAll(pairs: ServerTextPairs): CompiledTexts[ServerTextKind] {
  const fixed = ([english]: ServerTextPairs[number]): number => english.replaceAll('{}', '').length
  return pairs.toSorted((a, b) => fixed(b) - fixed(a)).map(compile)
}

function compile([english, own]: readonly [string, string]): { pattern: RegExp; own: string } {
  const source = english.split('{}').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { pattern: new RegExp(`^${source.join('(.+?)')}$`), own }
}
