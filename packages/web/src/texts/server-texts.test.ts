import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { builtIns } from '../../../server/src/commands/expand-message.ts'
import { errorTexts, sourceTexts } from '../../../server/src/testing/source-texts.ts'
import { zh } from './said/zh.ts'
import { setServerTexts, translateServerText, translateSummary } from './server-texts.ts'

afterEach(() => setServerTexts(undefined))

type Kind = Parameters<typeof translateServerText>[1]

/** Returns the texts with a line that has no Chinese in its translation. */
function untranslated(texts: readonly string[], ...kinds: readonly Kind[]): string[] {
  setServerTexts(zh)
  const isMissing = (line: string): boolean =>
    /[A-Za-z]{2}/.test(line) && !/\p{Script=Han}/u.test(translateServerText(line, ...kinds))
  return texts.filter((text) => text.split('\n').some(isMissing))
}

const isSentence = (text: string): boolean => /^["“A-Z/][^]*[a-z]{2}[^]* [^]*[.?]$/.test(text)
const isProse = (text: string): boolean => /[a-z]{2} [\w"'(]/.test(text)
const not = (...texts: readonly string[]) => {
  const excluded = new Set(texts)
  return (text: string): boolean => !excluded.has(text)
}

test('every command and every built-in agent is described in Chinese', () => {
  const folder = path.resolve(import.meta.dirname, '../../../core/src/agents')
  const agents = readdirSync(folder)
    .filter((file) => /^[a-z-]+\.md$/.test(file))
    .map((file) => /^description: "?(.+?)"?$/m.exec(readFileSync(path.join(folder, file), 'utf8'))?.[1] ?? file)
  expect(agents.length).toBeGreaterThan(8)
  expect(untranslated([...builtIns.map(({ about }) => about), ...agents], 'text')).toEqual([])
})

test('what viewers say about a document has a Chinese form', () => {
  const texts = [
    'a.docx is empty (0 bytes).',
    'a.xlsx is named like an Excel workbook, but its content is something else. It may be damaged, incomplete or of another kind. Ask for another copy.',
    'a.ods is damaged or incomplete: content.xml does not match its entry in the zip. Ask for another copy.',
    'The document is encrypted with a password. Ask for a copy without a password.',
    'Tracked changes by Ann: {++inserted++}, {--deleted--}.',
    'The document has macros in word/vbaProject.bin. They were not run.',
    'Reading the document took too long and was stopped. Read other or fewer pages, or a smaller range. If it stops again, the file is damaged or made to exhaust the computer.',
    ...readerTitles().map((title) => `The name ends in ".doc", but the content is ${title}.`),
  ]
  expect(untranslated(texts, 'text')).toEqual([])
  expect(translateServerText('The name ends in ".doc", but the content is an HTML page.', 'text')).toBe(
    '文件名以“.doc”结尾，但内容是HTML 网页。',
  )
  expect(translateServerText(texts[2]!, 'text')).toBe(
    'a.ods 已损坏或不完整：content.xml 与 zip 中的条目不符。请索取另一份副本。',
  )
})

function readerTitles(): string[] {
  const folder = path.resolve(import.meta.dirname, '../../../documents/src/readers')
  const sources = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'))
  return sources.flatMap((source) => /^const title = '(.+)'$/m.exec(source)?.[1] ?? [])
}

test('every title that a tool gives its calls has a Chinese form', () => {
  const folder = path.resolve(import.meta.dirname, '../../../core/src/tools')
  const source = readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n')
  const titles = [...source.matchAll(/\btitle: (?:\([^=]*\) => )?['`]([^'`]+)['`]/g)]
    .map(([, text = '']) => text.replaceAll(/\$\{[^{}]*\}/g, 'X'))
    .filter((text) => /[A-Za-z]{2}/.test(text) && !text.includes('${'))
  expect(titles.length).toBeGreaterThan(40)
  expect(untranslated(titles, 'action', 'title')).toEqual([])
})

test('every reason of an approval and every error in a rule has a Chinese form', () => {
  const reasons = sourceTexts('core/src/permission/*.ts', 'command-policy/src/**/*.ts').filter(isSentence)
  // Parts of sentences, tested as wholes below.
  const parts = reasons.filter((text) => text.startsWith('X, but ') || text.startsWith('X X '))
  expect(reasons.length).toBeGreaterThan(150)
  expect(untranslated(reasons.filter(not(...parts)), 'text')).toEqual([])
  expect(
    untranslated(
      parts.map((text) =>
        text
          .replace(/^X, but/, 'In plan mode, only the plan can be changed, but')
          .replace(/^X X something/, 'The rule "X" forbids something'),
      ),
      'text',
    ),
  ).toEqual([])
})

test('every error and every other sentence that the server sends to a page has a Chinese form', () => {
  const sentences = sourceTexts(
    'server/src/{admin,agents,chat,config,extensions,governance,http,mcp,media,models,permission,rules,sessions,skills,stores,tabs,team,terminals,usage,util}/**/*.ts',
    'server/src/{commands,runs}/!(system-prompt).ts',
    'server/src/joined/!(join-team).ts',
    'server/src/providers/shared/!(sdk-models|test-provider).ts',
    'server/src/transfer/!(export)/*.ts',
  ).filter(isSentence)
  const forTerminal = sourceTexts('server/src/http/listen.ts', 'server/src/team/options.ts')
  const forModels = [
    'These MCP servers are still connecting, so you do not have their tools yet: X.',
    'You are a helpful agent of this workspace. Continue this imported conversation.',
    'The imported conversation had empty instructions here.',
    'The file X is X (X), saved at X.',
  ]
  const forDevelopers = [
    'Team mode needs its data.',
    'The organization cannot be forgotten.',
    'A store cannot be closed from inside its own transaction.',
    'This transaction has ended; await every call inside it.',
    'The search was ended.',
    'The thread ended without a result.',
  ]
  // Texts with a part that is a sentence or empty.
  const composed = [
    'X Available agents: X.',
    'X while an answer is running. Stop the answer or wait for it to finish.',
    'There is no provider "X".X Add it in Settings > Models and keys.',
  ]
  expect(sentences.length).toBeGreaterThan(200)
  expect(
    untranslated(sentences.filter(not(...forTerminal, ...forModels, ...forDevelopers, ...composed)), 'text'),
  ).toEqual([])
})

test('every finding of the doctor has a Chinese form', () => {
  const findings = sourceTexts('server/src/admin/{diagnose,findings}.ts').filter(isProse)
  // A command, and parts of longer texts.
  const others = [
    'is not a known setting.',
    'chmod 600 "X"',
    'X at X',
    'pid X, since X',
    'no damage found',
    'no damage found in the parts checked; run "troupe doctor --full" to check all of it',
    'X; it has no tools of its own',
    'X: X in its .troupe/tools is not loaded',
    'X: X in its .troupe/tools are not loaded',
  ]
  expect(findings.length).toBeGreaterThan(50)
  expect(untranslated(findings.filter(not(...others)), 'text')).toEqual([])
})

test('problems with skills, commands, hooks and imports have a Chinese form', () => {
  const problems = [
    ...sourceTexts('core/src/skills/{find-skills,import-skills,parse-skill-file,read-archive}.ts'),
    ...sourceTexts('server/src/transfer/import/{read-entries,zip-file}.ts', 'server/src/util/json.ts'),
    ...errorTexts('core/src/{commands,hooks,skills}/*.ts', 'server/src/transfer/import/*.ts'),
  ].filter(isProse)
  // "it failed with exit code 1"
  const composed = ['it X', 'it X: X']
  expect(problems.length).toBeGreaterThan(80)
  expect(untranslated(problems.filter(not(...composed)), 'text')).toEqual([])
})

test('every error of a tool call, a run or a model has a Chinese form', () => {
  const errors = errorTexts('core/src/**/*.ts').filter(isProse)
  // "The MCP server "X" closed the connection." and the like, and a text after another.
  const composed = [
    'The MCP server "X" X',
    'The server X.',
    'it X',
    'it X: X',
    'X It is still too long after compaction. Start a new chat, or choose a model with a larger context window.',
  ]
  expect(errors.length).toBeGreaterThan(250)
  expect(untranslated(errors.filter(not(...composed)), 'text')).toEqual([])
})

test('no translation addresses the reader in two ways', () => {
  const all = [...zh.action, ...zh.title, ...zh.summary, ...zh.text]
  expect(all.filter(([, own]) => own.includes('您'))).toEqual([])
})

test('filled-in values stay unchanged, each line is translated separately, and unknown text stays English', () => {
  setServerTexts(zh)
  expect(translateServerText('exit code 0 · 0.1 s', 'summary')).toBe('退出码 0 · 0.1 s')
  expect(translateServerText('3 lines in 2 files', 'summary')).toBe('2 个文件中的 3 行')
  expect(translateSummary('7 paragraphs, 1 table')).toBe('7 段, 1 个表格')
  expect(translateSummary('5 entries, 3 omitted')).toBe('5 项，省略 3 项')
  expect(translateServerText('It sends a request to a.test.\nIt reads ".env".', 'text')).toBe(
    '它会向 a.test 发送请求。\n它会读取“.env”。',
  )
  expect(translateServerText('Something else entirely', 'action', 'title', 'summary', 'text')).toBe(
    'Something else entirely',
  )
  setServerTexts(undefined)
  expect(translateServerText('Run a command', 'action')).toBe('Run a command')
})

test('nested server texts are translated, and the most specific entry wins', () => {
  setServerTexts(zh)
  expect(translateServerText('The MCP server "files" exited with code 1.', 'text')).toBe(
    'MCP 服务器“files”以退出码 1 退出。',
  )
  expect(translateServerText('The hook before-call 1 in config.json failed: it failed with exit code 3', 'text')).toBe(
    '钩子 before-call 1 in config.json 失败：它以退出码 3 失败',
  )
  expect(translateServerText('"a/../b" points outside the folder. Nothing was imported.', 'text')).toBe(
    '“a/../b”指向文件夹之外。没有导入任何内容。',
  )
})
