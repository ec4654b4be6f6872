import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonEntry, readEntries } from './read-entries.ts'

async function read(text: string, cut = 7, longest = 1_000_000, most = 1_000_000): Promise<JsonEntry[]> {
  const bytes = Buffer.from(text)
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += cut) yield bytes.subarray(at, at + cut)
    await Promise.resolve()
  }
  const found: JsonEntry[] = []
  for await (const entry of readEntries(chunks(), longest, most)) found.push(entry)
  return found
}
const values = (entries: JsonEntry[]): unknown[] =>
  entries.map((entry) => ('bytes' in entry ? JSON.parse(entry.bytes.toString()) : entry.problem))

test('the items of any list come one by one, for every way to split the bytes', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      async (list, cut, pretty) => {
        const json = JSON.stringify(list, null, pretty ? 2 : 0)
        expect(values(await read(json, cut))).toEqual(JSON.parse(json))
      },
    ),
    { numRuns: 200 },
  )
})

const cases: Record<string, [string, unknown[]]> = {
  'an object is one entry': ['\ufeff {"a": "]}"} ', [{ a: ']}' }]],
  'objects after each other are entries': ['{"a":1}\n{"b":"\\"{"}\n', [{ a: 1 }, { b: '"{' }]],
  'an empty list has none': ['[ ]', []],
  'a list that was cut off says so': ['[{"a":1},{"b"', [{ a: 1 }, 'the file ends in the middle of it']],
}
for (const [name, [text, expected]] of Object.entries(cases))
  test(name, async () => expect(values(await read(text))).toEqual(expected))

test('an entry that is too long is skipped, and the next is read', async () => {
  const entries = await read(JSON.stringify([{ a: 'x'.repeat(5000) }, { b: 1 }]), 100, 1000)
  expect(values(entries)).toEqual(['it is larger than 0 MiB', { b: 1 }])
})

test('invalid JSON is rejected', async () => {
  for (const text of ['', '   ', 'hello', '<html>', '"text"', '42'])
    await expect(read(text)).rejects.toThrow('neither JSON')
})

test('an entry with too many values is skipped, and the next is not', async () => {
  const json = `[[${'[],'.repeat(50)}0],["a,[,[,[,[,[,[,[,[,[,["],{"b":[1,2]}]`
  expect(values(await read(json, 7, 1_000_000, 10))).toEqual([
    'it has more than 10 values',
    ['a,[,[,[,[,[,[,[,[,[,['],
    { b: [1, 2] },
  ])
})
