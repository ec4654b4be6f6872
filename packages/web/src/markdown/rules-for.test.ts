import { Lexer } from 'marked'
import { expect, test } from 'vitest'
import { hostileVectors } from '../../e2e/testing/hostile-vectors.ts'
import { markedOptions, tokenizer } from './marked-options.ts'
import { rulesFor } from './split-blocks.ts'

const all = Lexer.rules.block.gfm
const plain = rulesFor('Plain.')

function tokensOf(text: string, block: typeof all) {
  const lexer = new Lexer(markedOptions)
  tokenizer.rules = { ...tokenizer.rules, block }
  return lexer.lex(text)
}

const starts = [
  '',
  'Before\n',
  '> ',
  '> Before\n> ',
  '- ',
  '- [ ] ',
  '1. ',
  '12) ',
  '   ',
  '\t',
  '| a |\n|---|\n',
  '> - x\n>   ',
]

test('the rules without markup name no tags', () => {
  for (const rule of [plain.paragraph, plain.blockquote, plain.table]) expect(rule.source).not.toContain('address')
})

test('they read every text that they are chosen for as all rules do', () => {
  const texts = hostileVectors.flatMap((vector) => [`Text.\n\n${vector}`, `Text ${vector}\nmore`])
  const chosen = texts.filter((text) => rulesFor(text) === plain)
  expect(chosen.length).toBeGreaterThan(1000)
  const odd = chosen.filter((text) => JSON.stringify(tokensOf(text, plain)) !== JSON.stringify(tokensOf(text, all)))
  expect(odd).toEqual([])
})

test('they are not used if markup starts a block', () => {
  const blocks = ['<div>', '</p>', '<!-- x -->', '<?x?>', '<![CDATA[', '<custom-tag>\n']
  for (const start of starts) for (const block of blocks) expect(rulesFor(`${start}${block} and more`)).toBe(all)
})

test('they are chosen for tags and comparisons in the midst of a line', () => {
  for (const text of ['a < b', 'Use `<div>` here', 'Write **<b>**']) expect(rulesFor(text)).toBe(plain)
})
