import { Lexer } from 'marked'
import type { Rules } from 'marked'

/** How the rules for paragraphs, quotes and tables name the tags that end them. */
const blockTags = /\(\?:<\\\/\?\(\?:address\|.*?<!\\\[CDATA\\\[\)/g
/** Markup that is a block of its own begins a line, or what stands behind the marks of a quote or a list. */
const markupAtStart = /^[ \t>*+\-\d.)[\]xX]*</m

const all = Lexer.rules.block.gfm
const withoutTags = ({ source }: RegExp) => new RegExp(source.replaceAll(blockTags, '(?!)'))
const withoutMarkup: Rules['block'] = {
  ...all,
  html: /(?!)/,
  paragraph: withoutTags(all.paragraph),
  blockquote: withoutTags(all.blockquote),
  table: withoutTags(all.table),
}

/**
 * The rules that read a text. Where no line can begin with markup, the same without the names of tags: for the browser
 * those are most of the work of making the rules, 10 ms of 13 before the first text is shown.
 */
export function rulesFor(text: string): Rules['block'] {
  return markupAtStart.test(text) ? all : withoutMarkup
}
