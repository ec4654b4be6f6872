import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('..', import.meta.url))
const steps = readFileSync(path.join(root, 'docs/message-path.md'), 'utf8')
  .matchAll(/^\| (\d+) \| `([^`]+)` \| `([^`]+)` \| (.+) \|$/gm)
  .map(([, number, file = '', name = '']) => ({ number: Number(number), file, name }))
  .toArray()

test('the path of a message has at most 60 steps, in order', () => {
  expect(steps.map(({ number }) => number)).toEqual(steps.map((_, index) => index + 1))
  expect(steps.length).toBeGreaterThan(40)
  expect(steps.length).toBeLessThanOrEqual(60)
})

test.each(steps)('$number: $file has $name', ({ file, name }) => {
  const full = path.join(root, 'packages', file)
  expect(existsSync(full)).toBe(true)
  const source = readFileSync(full, 'utf8')
  const declared = [
    `function\\*? ${name}\\b`,
    `const ${name}\\b`,
    `^\\s+(?:async )?${name}(?:<.*>)?\\(`,
    `^\\s+${name}: `,
  ]
  expect(source).toMatch(new RegExp(declared.join('|'), 'm'))
})

test('every step does more than call the next', () => {
  const forwarding = steps.filter(({ file, name }) => {
    const source = readFileSync(path.join(root, 'packages', file), 'utf8')
    const body = new RegExp(
      `^( *)(?:export )?(?:async )?(?:function )?${name}\\([^{]*\\{\\n\\1  (?:return |await )*[\\w.#]+\\([^\\n]*\\)\\n\\1\\}`,
      'm',
    )
    return body.test(source)
  })
  expect(forwarding).toEqual([])
})
