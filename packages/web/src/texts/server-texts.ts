/**
 * What the server says, by where it stands, as pairs of its English words and those of a language. `{}` stands for
 * whatever is in that place; `{1}`, `{2}` … name them where the order is another, `{2~}` is a text of the server itself.
 */
export interface ServerTexts {
  /** Of calls, whatever tool they are of. */
  action: readonly (readonly [english: string, own: string])[]
  /** Of calls, begun with a verb: not where a model or a person gives the title. */
  title: readonly (readonly [english: string, own: string])[]
  summary: readonly (readonly [english: string, own: string])[]
  /** Everything else: reasons, descriptions, states, errors. */
  text: readonly (readonly [english: string, own: string])[]
}

type ServerTextKind = keyof ServerTexts
type CompiledTexts = Record<ServerTextKind, { pattern: RegExp; own: string }[]>

let compiledTexts: CompiledTexts | undefined
/** Longer ones are texts of others. */
const maxLength = 4000

/** From now on the server's words are shown in these. */
export function setServerTexts(said: ServerTexts | undefined): void {
  compiledTexts = said && {
    action: said.action.map(compile),
    title: said.title.map(compile),
    summary: said.summary.map(compile),
    text: said.text.map(compile),
  }
}

/** A text of the server in the language of the page; as it is where that has no words for it. Each line is a text. */
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
  // Several sentences, each of its own.
  const sentences = line.split(/(?<=\.) (?=["A-Z])/)
  return sentences.length < 2 ? line : sentences.map((sentence) => translate(sentence, rules)).join(' ')
}

function compile([english, own]: readonly [string, string]): { pattern: RegExp; own: string } {
  const source = english.split('{}').map((piece) => piece.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return { pattern: new RegExp(`^${source.join('(.+?)')}$`), own }
}
