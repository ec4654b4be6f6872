import type { MarkedExtension, Tokens } from 'marked'
import { mathAt } from './math-at.ts'

interface MathToken extends Tokens.Generic {
  type: 'math' | 'math-block'
  raw: string
  display: boolean
}

/** Formulas as a kind of token: nothing inside of one is read as markdown. What is shown until it is drawn is its source. */
export const mathExtension: MarkedExtension = {
  extensions: [
    {
      name: 'math-block',
      level: 'block',
      start: (text) => /(?:^|\n) {0,3}(?:\$\$|\\\[)/.exec(text)?.index,
      tokenizer(text): MathToken | undefined {
        const indent = /^ {0,3}(?=\$\$|\\\[)/.exec(text)?.[0]
        if (indent === undefined) return undefined
        const formula = mathAt(text.slice(indent.length))
        if (formula === undefined) return undefined
        const rest = text.slice(indent.length + formula.raw.length)
        const end = /^[ \t]*(?:\n|$)/.exec(rest)?.[0]
        if (end === undefined) return undefined
        return { type: 'math-block', raw: indent + formula.raw + end, text: formula.raw, display: true }
      },
      renderer: (token) => `<p>${shown(token as MathToken)}</p>\n`,
    },
    {
      name: 'math',
      level: 'inline',
      start: (text) => /(?<![\w\\$])\$|\\[([]/.exec(text)?.index,
      tokenizer(text): MathToken | undefined {
        const formula = mathAt(text)
        return formula && { type: 'math', raw: formula.raw, text: formula.raw, display: formula.display }
      },
      renderer: (token) => shown(token as MathToken),
    },
  ],
}

function shown({ display, text }: MathToken): string {
  const source = String(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `<span class="${display ? 'math-display' : 'math-inline'}">${source}</span>`
}
