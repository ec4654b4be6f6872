import { stripMarkdown } from '../ui/strip-markdown.ts'

/** Prose of a Markdown text. Code blocks, formulas and addresses are replaced, because nobody wants to hear them. */
export function speakableText(markdown: string, words: { code: string; formula: string }): string {
  return stripMarkdown(
    markdown
      .replaceAll(/^[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|(?![\s\S]))/gm, `\n${words.code}\n`)
      .replaceAll(/^[ \t]*(?:\$\$[\s\S]+?\$\$|\\\[[\s\S]+?\\\])[ \t]*$/gm, `\n${words.formula}\n`)
      .replaceAll(/<!--[\s\S]*?-->|<\/?[a-z][^>\n]*>/gi, ' ')
      .replaceAll(/(?<!\()\bhttps?:\/\/([^\s/)>\]]+)[^\s)>\]]*/g, '$1'),
  )
}

/** Splits a text into pieces of whole sentences. The first is short, so that speech starts soon. */
export function speechPieces(text: string, { first, most }: { first: number; most: number }): string[] {
  const pieces: string[] = []
  let piece = ''
  const flush = (): void => {
    if (piece.trim() !== '') pieces.push(piece.trim())
    piece = ''
  }
  for (const sentence of sentences(text)) {
    const limit = pieces.length === 0 ? first : most
    if (piece !== '' && piece.length + sentence.length > limit) flush()
    piece += sentence
    while (piece.length > most) {
      const space = piece.lastIndexOf(' ', most)
      const cut = space > most / 2 ? space : most
      pieces.push(piece.slice(0, cut).toWellFormed().trim())
      piece = piece.slice(cut)
    }
  }
  flush()
  return pieces
}

function* sentences(text: string): Generator<string> {
  const segmenter = new Intl.Segmenter(undefined, { granularity: 'sentence' })
  for (const line of text.split(/(?<=\n)/)) for (const { segment } of segmenter.segment(line)) yield segment
}

const scripts: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Han}/u, 'zh'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Devanagari}/u, 'hi'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Greek}/u, 'el'],
]

/** Guesses the language of a piece by its script. Keeps the preferred language if that uses the same script. */
export function spokenLanguage(text: string, preferred: string): string {
  const found = scripts.find(([script]) => script.test(text))?.[1]
  if (found === undefined) return /^(ja|zh|ko|ru|uk|ar|fa|he|hi|th|el)\b/.test(preferred) ? 'en' : preferred
  const sameScript = found === 'ru' ? /^(ru|uk|bg|sr|mk|be|kk)\b/ : found === 'ar' ? /^(ar|fa|ur)\b/ : undefined
  return sameScript?.test(preferred) || preferred.startsWith(found) ? preferred : found
}
