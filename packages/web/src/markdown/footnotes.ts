import type { MarkedExtension, Token, Tokens } from 'marked'

/** The footnotes of a text: what each says, and the numbers of those that the text refers to, in order. */
export interface Notes {
  said: Map<string, Token[]>
  numbers: Map<string, number>
}

export function noNotes(): Notes {
  return { said: new Map(), numbers: new Map() }
}

/** Those of the text that is being read. */
let notes = noNotes()

export function readNotesInto(given: Notes): void {
  notes = given
}

const opening = /^\[\^([^\]\s]{1,60})\]:[ \t]*/
const reference = /^\[\^([^\]\s]{1,60})\](?!:)/
const indented = /^(?: {2,}|\t)/
/** A line that goes on with the paragraph before it, as opposed to one that begins something of its own. */
const goesOn = /^(?!\[\^|#|>|```|~~~|\||[-*+] |\d{1,9}[.)] )\s*\S/

/** GitHub's footnotes: `[^name]` refers to `[^name]: …`. What is said nowhere stays the text that it is. */
export const footnoteExtension: MarkedExtension = {
  extensions: [
    {
      name: 'footnote',
      level: 'block',
      start(text) {
        const at = text.indexOf('\n[^')
        return at === -1 ? undefined : at
      },
      tokenizer(text): Tokens.Generic | undefined {
        const [begin, name] = opening.exec(text) ?? []
        if (begin === undefined || name === undefined) return undefined
        const raw = rawNote(text)
        const said = raw.slice(begin.length).replaceAll(/\n(?: {1,4}|\t)/g, '\n')
        if (!notes.said.has(name)) notes.said.set(name, this.lexer.blockTokens(said, []))
        return { type: 'footnote', raw }
      },
      renderer: () => '',
    },
    {
      name: 'footnote-reference',
      level: 'inline',
      start(text) {
        const at = text.indexOf('[^')
        return at === -1 ? undefined : at
      },
      tokenizer(text): Tokens.Generic | undefined {
        const [raw, name] = reference.exec(text) ?? []
        if (raw === undefined || name === undefined || !notes.said.has(name)) return undefined
        const number = notes.numbers.get(name) ?? notes.numbers.size + 1
        notes.numbers.set(name, number)
        return { type: 'footnote-reference', raw, number }
      },
      renderer: (token) => `<sup class="footnote-reference">${Number(token['number'])}</sup>`,
    },
  ],
}

/** The notes that are referred to, as a list to stand below the text. */
export function notesHtml({ said, numbers }: Notes, render: (tokens: Token[]) => string): string {
  const items = [...numbers.keys()].map((name) => `<li>${render(said.get(name) ?? [])}</li>\n`)
  return items.length === 0 ? '' : `<ol class="footnotes">\n${items.join('')}</ol>\n`
}

/** Up to the line that is no longer of it: after a blank one only what is indented. */
function rawNote(text: string): string {
  let end = lineEnd(text, 0)
  for (let from = end; from < text.length;) {
    const to = lineEnd(text, from)
    const line = text.slice(from, to)
    from = to
    if (line.trim() === '') continue
    const isAfterBlank = end < to - line.length
    if (!indented.test(line) && (isAfterBlank || !goesOn.test(line))) break
    end = to
  }
  return text.slice(0, end)
}

function lineEnd(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}
