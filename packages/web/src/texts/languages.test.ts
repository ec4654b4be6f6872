import { expect, test } from 'vitest'
import { en } from './languages/en.ts'
import { zh } from './languages/zh.ts'

/** Every text by its place; what a function says is tried with something in each place. */
function texts(value: unknown, place = ''): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  // A list of one is written like a number, and can be joined.
  const given = [3]
  if (typeof value === 'function')
    return [[place, String((value as (...all: unknown[]) => unknown)(given, given, given, given))]]
  return Object.entries(value as object).flatMap(([key, inner]) => texts(inner, place === '' ? key : `${place}.${key}`))
}

/** The same in both: names, signs, and what is typed. */
const shared = /^(Top [PK]|JSON|MCP|PDF|Tokens?|token|en|zh|Troupe( 3)?|Markdown|[\W\d_]*|\{\w+\}|.*[a-z]+=.*)$/u

test('what is said in English is said in Chinese', () => {
  const chinese = new Map(texts(zh))
  const left = texts(en).filter(([place, text]) => chinese.get(place) === text && !shared.test(text))
  expect(left).toEqual([])
})

test('one word for one thing, in Chinese too', () => {
  const avoided = /代理|词元|服务商|摘要|您/
  expect(texts(zh).filter(([, text]) => avoided.test(text))).toEqual([])
})

test('places in a sentence are the same in every language', () => {
  const chinese = new Map(texts(zh))
  const places = (text: string) => new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
  for (const [place, text] of texts(en))
    expect([place, places(chinese.get(place) ?? '')]).toEqual([place, places(text)])
})
