import fc from 'fast-check'
import { expect, it } from 'vitest'
import { runs } from '../../../protocol/testing/test-effort.ts'
import { toJson } from './parse-call.ts'

function throughText(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? null : JSON.parse(text)
}

it('copies any value as JSON would', () => {
  const anything = fc.anything({
    withDate: true,
    withMap: true,
    withSet: true,
    withNullPrototype: true,
    withSparseArray: true,
    withBoxedValues: true,
    maxDepth: 4,
  })
  fc.assert(
    fc.property(anything, (value) => {
      expect(JSON.stringify(toJson(value))).toBe(JSON.stringify(throughText(value)))
    }),
    runs(500),
  )
})

it('knows the odd ones', () => {
  class Point {
    x = 1
    toJSON(): string {
      return 'a point'
    }
  }
  const odd = [
    undefined,
    () => 1,
    Symbol('s'),
    NaN,
    -0,
    Infinity,
    new Date(0),
    new Point(),
    [undefined, () => 1],
    { a: undefined, b: [new Point()] },
    JSON.parse('{"__proto__": {"a": 1}}'),
  ]
  for (const value of odd) expect(JSON.stringify(toJson(value))).toBe(JSON.stringify(throughText(value)))
  expect(Object.getPrototypeOf(toJson(JSON.parse('{"__proto__": {"a": 1}}')))).toBe(Object.prototype)
})

it('is a copy: later changes to the value do not affect it', () => {
  const value = { list: [1, { deep: true }] }
  const copied = toJson(value)
  value.list.push(2)
  expect(copied).toEqual({ list: [1, { deep: true }] })
})

it('rejects circular and non-JSON values', () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = [circle]
  expect(() => toJson(circle)).toThrow(/circular/i)
  expect(() => toJson({ big: 1n })).toThrow(/BigInt/)
})
