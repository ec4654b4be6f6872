import { Buffer } from 'node:buffer'
import { applyPatch } from 'diff'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { diffBytes, diffReplacements } from './diff.ts'
import { utf8Format } from './encoding.ts'
import { applyReplacements } from './text-edit.ts'

const side = (text: string): { bytes: Buffer; format: typeof utf8Format } => ({
  bytes: Buffer.from(text),
  format: utf8Format,
})
const lines = fc.array(fc.constantFrom('a', 'b', 'é', '', 'long line'), { maxLength: 30 })
const text = fc
  .tuple(lines, fc.boolean())
  .map(([all, isEnded]) => all.join('\n') + (isEnded && all.length > 0 ? '\n' : ''))
const patch = (diff: string): string => `--- a\n+++ b\n${diff}`

test('the diff of any two texts converts one into the other', async () => {
  await fc.assert(
    fc.asyncProperty(text, text, async (before, after) => {
      const { diff } = await diffBytes(side(before), side(after))
      if (diff === '') expect(after).toBe(before)
      else expect(applyPatch(before, patch(diff))).toBe(after)
    }),
    { numRuns: 300 },
  )
})

test('so does the diff of known replacements', async () => {
  await fc.assert(
    fc.asyncProperty(
      text,
      fc.array(fc.tuple(fc.nat(80), fc.nat(6), fc.constantFrom('', 'x', 'x\ny', '\n')), { maxLength: 3 }),
      async (before, given) => {
        const bytes = Buffer.from(before, 'latin1')
        const replacements = given
          .map(([start, length, inserted]) => ({ start, end: start + length, bytes: Buffer.from(inserted) }))
          .toSorted((a, b) => a.start - b.start)
          .filter(({ start, end }, index, all) => end <= bytes.length && (index === 0 || start >= all[index - 1]!.end))
        fc.pre(
          replacements.length > 0 &&
            replacements.every(({ start }, index) => index === 0 || start >= replacements[index - 1]!.end),
        )
        const format = { encoding: 'latin1', bom: false } as const
        const { diff } = await diffReplacements({ bytes, format }, replacements)
        const after = Buffer.concat(applyReplacements(bytes, { replacements })).toString('latin1')
        if (diff === '') expect(after).toBe(before)
        else expect(applyPatch(before, patch(diff))).toBe(after)
      },
    ),
    { numRuns: 300 },
  )
})

test('a change deep in a long text is numbered rightly and has three lines around it', async () => {
  const all = Array.from({ length: 100_000 }, (_, index) => `line ${index + 1}`)
  const after = all.with(70_000, 'changed')
  const { diff, added, removed } = await diffBytes(side(all.join('\n')), side(after.join('\n')))
  expect(diff).toBe(
    '@@ -69998,7 +69998,7 @@\n line 69998\n line 69999\n line 70000\n-line 70001\n+changed\n line 70002\n line 70003\n line 70004\n',
  )
  expect([added, removed]).toEqual([1, 1])
})

test('a machine that stalls gets the same hunks', async () => {
  let now = 0
  vi.spyOn(Date, 'now').mockImplementation(() => (now += 10_000))
  const { diff } = await diffBytes(side('a\nb\nc\nd\n'), side('A\nb\nC\nd\n'))
  expect(diff).toBe('@@ -1,4 +1,4 @@\n-a\n+A\n b\n-c\n+C\n d\n')
})

test('two texts without common lines are not compared for long', async () => {
  const words = (seed: number): string =>
    Array.from({ length: 60_000 }, (_, index) => `${(index * seed) % 9973} ${index % 7}\n`).join('')
  const begun = performance.now()
  const { cut, added, removed } = await diffBytes(side(words(7919)), side(words(104_729)))
  expect(performance.now() - begun).toBeLessThan(5000)
  expect(cut).toBe(true)
  expect(added + removed).toBeGreaterThan(1000)
})
