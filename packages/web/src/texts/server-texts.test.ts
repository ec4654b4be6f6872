import { globSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { builtIns } from '../../../server/src/commands/built-ins.ts'
import { zh } from './said/zh.ts'
import { setServerTexts, translateServerText } from './server-texts.ts'

afterEach(() => setServerTexts(undefined))

const core = path.resolve(import.meta.dirname, '../../../core/src')
const sources = (folder: string) =>
  readdirSync(path.join(core, folder))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(core, folder, file), 'utf8'))
    .join('\n')
/** String literals of our sources, with placeholders filled in. */
const literals = (source: string, pattern: RegExp) =>
  [...source.matchAll(pattern)]
    .map(([, text = '']) => text.replaceAll(/\$\{[^{}]*\}/g, 'X'))
    .filter((text) => /[A-Za-z]{2}/.test(text) && !text.includes('${'))
const untranslated = (texts: readonly string[], ...kinds: Parameters<typeof translateServerText>[1][]) => {
  setServerTexts(zh)
  return texts.filter((text) => translateServerText(text, ...kinds) === text)
}

test('every command and every built-in agent is described in Chinese', () => {
  const agents = readdirSync(path.join(core, 'agents'))
    .filter((file) => /^[a-z-]+\.md$/.test(file))
    .map((file) => /^description: "?(.+?)"?$/m.exec(readFileSync(path.join(core, 'agents', file), 'utf8'))?.[1] ?? file)
  expect(agents.length).toBeGreaterThan(8)
  expect(untranslated([...builtIns.map(({ about }) => about), ...agents], 'text')).toEqual([])
})

test('every title that a tool gives its calls has a Chinese form', () => {
  const titles = literals(sources('tools'), /\btitle: (?:\([^=]*\) => )?(?:['`])([^'`]+)['`]/g)
  expect(titles.length).toBeGreaterThan(40)
  expect(untranslated(titles, 'action', 'title')).toEqual([])
})

/** Errors in user-written rules stay in the terms of the rule syntax. */
const ofRules = /parse-rule|rule-patterns|command-pattern|\.test\.ts$/

test('every reason of an approval has a Chinese form', () => {
  const files = globSync([`${core}/permission/*.ts`, `${core}/../../command-policy/src/**/*.ts`]).filter(
    (file) => !ofRules.test(file),
  )
  const source = files.map((file) => readFileSync(file, 'utf8')).join('\n')
  const code = source.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const reasons = [
    ...literals(code, /'((?:[A-Z"])[^'\n]*[a-z] [^'\n]*\.)'/g),
    ...literals(code, /`((?:[A-Z"])[^`\n]*[a-z] [^`\n]*\.)`/g),
  ]
  expect(reasons.length).toBeGreaterThan(90)
  expect(untranslated(reasons, 'text')).toEqual([])
})

test('what is filled in stays as it is, each line is a text, and what is not known stays English', () => {
  setServerTexts(zh)
  expect(translateServerText('exit code 0 · 0.1 s', 'summary')).toBe('退出码 0 · 0.1 s')
  expect(translateServerText('3 lines in 2 files', 'summary')).toBe('2 个文件中的 3 行')
  expect(translateServerText('It sends a request to a.test.\nIt reads ".env".', 'text')).toBe(
    '它会向 a.test 发送请求。\n它会读取“.env”。',
  )
  expect(translateServerText('Something else entirely', 'action', 'title', 'summary', 'text')).toBe(
    'Something else entirely',
  )
  setServerTexts(undefined)
  expect(translateServerText('Run a command', 'action')).toBe('Run a command')
})
