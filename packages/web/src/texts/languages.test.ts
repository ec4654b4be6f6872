import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { lateTexts } from './languages/en/settings.ts'
import { cardTexts } from './languages/en/cards.ts'
import { en as first } from './languages/en.ts'
import { zh } from './languages/zh.ts'

const en = { ...first, ...lateTexts, ...cardTexts }
const folder = new URL('./languages/', import.meta.url)
/** Every file in the folder is a language, so a new one is tested automatically. */
const tags = readdirSync(folder)
  .filter((file) => file.endsWith('.ts'))
  .map((file) => file.slice(0, -'.ts'.length))
const others = tags.filter((tag) => tag !== 'en')

async function load(tag: string): Promise<object> {
  const module = (await import(new URL(`${tag}.ts`, folder).href)) as Record<string, object | undefined>
  const found = module[tag]
  if (found === undefined) throw new Error(`texts/languages/${tag}.ts does not export "${tag}"`)
  return found
}

/** Returns every text by path. Calls functions with sample arguments. */
function texts(value: unknown, place = ''): [string, string][] {
  if (typeof value === 'string') return [[place, value]]
  // A one-element list prints like a number and can be joined.
  const given = [3]
  if (typeof value === 'function')
    return [[place, String((value as (...all: unknown[]) => unknown)(given, given, given, given))]]
  return Object.entries(value as object).flatMap(([key, inner]) => texts(inner, place === '' ? key : `${place}.${key}`))
}

/** Texts that may be the same in both languages: names, symbols and user input. */
const shared = /^(Top [PK]|JSON|MCP|PDF|Tokens?|token|en|zh|Troupe( 3)?|Markdown|[\W\d_]*|\{\w+\}|.*[a-z]+=.*)$/u

/** Returns texts that are missing, empty, or have other placeholders than English. */
function faultsOf(language: object): string[] {
  const own = new Map(texts(language))
  const places = (text: string): string =>
    [...text.matchAll(/\{(\w+)\}/g)]
      .map(([, name = '']) => name)
      .toSorted((a, b) => a.localeCompare(b))
      .join()
  const english = new Map(texts(en))
  return [
    ...[...english.keys()].filter((place) => !own.has(place)).map((place) => `${place} is missing`),
    ...[...own]
      .filter(([place, text]) => text === '' && english.get(place) !== '')
      .map(([place]) => `${place} is empty`),
    ...[...own]
      .filter(([place, text]) => english.has(place) && places(text) !== places(english.get(place) ?? ''))
      .map(([place]) => `${place} has other places to fill`),
  ]
}

test('the folder has English and at least one other language', () => {
  expect(tags).toEqual(expect.arrayContaining(['en', 'zh']))
})

test.for(tags)('%s is exported under its tag and has its own name', async (tag) => {
  expect(await load(tag)).toMatchObject({ tag, language: expect.stringMatching(/\S/) as string })
})

test.for(others)('%s has every text that English has, with the same places to fill', async (tag) => {
  expect(faultsOf(await load(tag))).toEqual([])
})

test('a language with missing or empty texts or other placeholders is reported', () => {
  const { language: _, ...without } = zh
  const faulty = { ...without, displays: { ...zh.displays, from: 'from {file}', download: '' } }
  expect(faultsOf(faulty)).toEqual([
    'language is missing',
    'displays.download is empty',
    'displays.from has other places to fill',
  ])
})

test('every English text has a Chinese translation', () => {
  const chinese = new Map(texts(zh))
  const left = texts(en).filter(([place, text]) => chinese.get(place) === text && !shared.test(text))
  expect(left).toEqual([])
})

test('one word per concept, in Chinese, too', () => {
  const avoided = /代理|词元|服务商|摘要|您/
  expect(texts(zh).filter(([, text]) => avoided.test(text))).toEqual([])
})
