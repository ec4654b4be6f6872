import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { formatPath, parsePath, valuesAt, wildcard } from './path.ts'

test('dot and slash style give the same path', () => {
  const same: [unknown[], ...string[]][] = [
    [['items', 0, 'title'], 'items[0].title', 'items/0/title', '/items/0/title', 'items/[0]/title', 'items.0.title'],
    [['items', wildcard, 'title'], 'items[*].title', 'items/*/title', 'items.*.title', '/items/[*]/title'],
    [[0, 't'], '[0].t', '0/t', '/0/t', '0.t'],
    [['a.b', 'c/d', ''], '["a.b"]["c/d"][""]', '"a.b"/"c/d"/""'],
    [['a', '0', '*'], 'a["0"]["*"]', 'a/"0"/"*"'],
    [['files', 'index.ts'], 'files["index.ts"]', 'files/index.ts'],
    [['g h', 'ä'], 'g h.ä', 'g h/ä'],
    [[], '', '/'],
  ]
  for (const [segments, ...paths] of same) {
    for (const path of paths) expect(parsePath(path)).toEqual(segments)
  }
})

test('an invalid path is rejected with an example', () => {
  for (const path of ['a..b', 'a.', '.a', 'a[', 'a[x]', 'a]', 'a["x]', 'a"b', 'a[0]b', 'a//b', 'a/']) {
    expect(() => parsePath(path)).toThrow(/is not a path.*items\[0\]\.title/)
  }
})

test('any path round-trips, in both styles', () => {
  const segment = fc.oneof(
    fc.string({ maxLength: 5 }),
    fc.nat(20),
    fc.constantFrom('*', '0', '', 'a.b', 'a/b', 'a[0]', '"'),
  )
  fc.assert(
    fc.property(
      fc.array(segment, { maxLength: 5 }),
      fc.constantFrom('dot' as const, 'slash' as const),
      (path, style) => {
        expect(parsePath(formatPath(path, style))).toEqual(path)
      },
    ),
  )
})

describe('values at a path', () => {
  const value = { items: [{ t: 'a', n: 0 }, { t: '' }, { n: null }], map: { x: false, 'y.z': 1 } }

  test('are all matching values with their paths', () => {
    expect(valuesAt(value, 'items[*].n')).toEqual([
      { path: 'items[0].n', value: 0 },
      { path: 'items[2].n', value: null },
    ])
    expect(valuesAt(value, 'items/1/t')).toEqual([{ path: 'items[1].t', value: '' }])
    expect(valuesAt(value, 'map.*')).toEqual([
      { path: 'map.x', value: false },
      { path: 'map["y.z"]', value: 1 },
    ])
    expect(valuesAt(value, '')).toEqual([{ path: '', value }])
  })

  test('are empty for missing paths, and never inherited properties', () => {
    for (const path of ['items[9]', 'items.length', 'nope.at.all', 'items[0].t.x', 'constructor', 'map.__proto__']) {
      expect(valuesAt(value, path)).toEqual([])
    }
  })
})
