/**
 * Server messages by kind, as pairs of English and translation. `{}` matches any text. `{1}`, `{2}` and so on reorder
 * placeholders, and `{2~}` is itself a server message to translate.
 */
export interface ServerTexts {
  /** Action names of calls, for any tool. */
  action: readonly (readonly [english: string, own: string])[]
  /** Titles of calls that start with a verb. Excludes titles given by a model or user. */
  title: readonly (readonly [english: string, own: string])[]
  summary: readonly (readonly [english: string, own: string])[]
  /** Everything else: reasons, descriptions, states, errors. */
  text: readonly (readonly [english: string, own: string])[]
}

type ServerTextKind = keyof ServerTexts
type CompiledTexts = Record<ServerTextKind, { pattern: RegExp; own: string }[]>

let compiledTexts: CompiledTexts | undefined
/** Longer texts are not server messages. */
const maxLength = 4000

export function setServerTexts(said: ServerTexts | undefined): void {
  compiledTexts = said && {
    action: said.action.map(compile),
    title: said.title.map(compile),
    summary: said.summary.map(compile),
    text: said.text.map(compile),
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

function compile([english, own]: readonly [string, string]): { pattern: RegExp; own: string } {
  const source = english.split('{}').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { pattern: new RegExp(`^${source.join('(.+?)')}$`), own }
}
