import { expect, test } from 'vitest'
import { rewriteImports } from './rewrite-imports.ts'

test('calls of import become calls of ours', () => {
  expect(rewriteImports('const { a } = await import("node:fs")')).toBe('const { a } = await __import("node:fs")')
  expect(rewriteImports('[...import ( x ), y]')).toBe('[...__import ( x ), y]')
  expect(rewriteImports('`${await import(`a${b}`)} import(c)`')).toBe('`${await __import(`a${b}`)} import(c)`')
})

test('declarations become constants', () => {
  expect(rewriteImports(`import fs from 'node:fs'; fs`)).toBe(`const { default: fs } = await __import('node:fs'); fs`)
  expect(rewriteImports(`import * as path from "node:path"`)).toBe(`const path = await __import("node:path")`)
  expect(rewriteImports(`import { a, b as c } from './x.mjs'`)).toBe(`const { a, b: c } = await __import('./x.mjs')`)
  expect(rewriteImports(`import d, { a } from 'x'`)).toBe(`const { default: d, a } = await __import('x')`)
  expect(rewriteImports(`import 'x'`)).toBe(`await __import('x')`)
  expect(rewriteImports(`import {\n  a,\n  b,\n} from 'x'\na()`)).toBe(`const { a, b } = await __import('x')\na()`)
})

test.each([
  `"import('x')"`,
  `'it\\'s import("x")'`,
  '`import("x")`',
  '`${"}"} import("x")`',
  `// import('x')\n1`,
  `/* import x from 'y' */ 1`,
  `a.import('x')`,
  `a\n  .import('x')`,
  `reimport('x')`,
  `const r = /import("x")/g`,
  `f(/[/'"]import(x)/)`,
  `import.meta.url`,
])('%s is unchanged', (code) => {
  expect(rewriteImports(code)).toBe(code)
})

test('a division is not a regular expression', () => {
  expect(rewriteImports('const half = a / 2; await import("x") / 2')).toBe(
    'const half = a / 2; await __import("x") / 2',
  )
})
