import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findTexts } from './lib/find-texts.mjs'

const source = fileURLToPath(new URL('../packages/web/src', import.meta.url))
/** Files without user-visible text: names of languages and components, text for models, and errors of running pages. */
const exempt =
  /^(texts|testing|actions|page-tools)\/|language-of\.ts$|^content\/ui-view\.tsx$|^content\/page\/runtime\//

const found = (code: string) => findTexts('a.tsx', code).map(({ text }) => text)

test('words between tags, in attributes that are read out, and sentences are found', () => {
  expect(found('const a = <p title="A name">Some <b>words</b> {x ? "more" : t.words}</p>')).toEqual([
    'A name',
    'Some',
    'words',
    'more',
  ])
  expect(found('const label = `${name} has ended`; const title = "Nothing waits"')).toEqual([
    'has ended',
    'Nothing waits',
  ])
  expect(found('const a = <Field label={isNew ? `New ${name}` : t.name} placeholder="Say it" />')).toEqual([
    'New',
    'Say it',
  ])
  expect(found('throw new ApiError(0, { message: "It is away" })')).toEqual(['It is away'])
})

test('other strings are not texts', () => {
  expect(
    found('const a = <p className="one two" data-x="one two" style={{ font: "one two" }}><kbd>Esc</kbd></p>'),
  ).toEqual([])
  expect(found('import a from "one two"; if (kind === "one two") throw new Error("a mistake of ours")')).toEqual([])
  expect(found('type A = "one two"; element.querySelector("p em"); const a = <code>npm start</code>')).toEqual([])
  expect(found('// for models, not shown\nconst a = "one two"')).toEqual([])
  expect(found('// in one language\nconst a = <p>My words</p>')).toEqual([])
  expect(found('const a = <p>My words</p>\n\n\n// in one language')).toEqual(['My words'])
})

test('every text of the page comes from its language files', () => {
  const left = globSync('**/*.{ts,tsx}', { cwd: source })
    .filter((file) => !/\.(test|d)\.tsx?$/.test(file) && !exempt.test(file.replaceAll('\\', '/')))
    .flatMap((file) =>
      findTexts(file, readFileSync(path.join(source, file), 'utf8')).map(({ line, text }) => `${file}:${line} ${text}`),
    )
  expect(left).toEqual([])
})
