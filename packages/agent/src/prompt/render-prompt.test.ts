import { describe, expect, it } from 'vitest'
import { renderPrompt } from './render-prompt.ts'
import { mergeSlots, mergeValue, setSlots, type Slots } from './slots.ts'

const textOf = (slots: Slots, requirement?: string, style?: Parameters<typeof renderPrompt>[2]): string => {
  const last = renderPrompt(slots, requirement, style).at(-1)?.parts[0]
  return last?.type === 'text' ? last.text : ''
}

describe('the user message', () => {
  it('has its blocks in a fixed order, regardless of the order of calls', () => {
    const text = textOf(
      {
        input: 'question',
        examples: ['one'],
        instruct: 'do it',
        'own block': 'mine',
        info: { b: 1, a: 2 },
        actionResults: { look: 'found' },
        tools: [{ name: 'search' }],
      },
      'Data Format: JSON',
    )
    expect(text).toBe(`[TOOLS]:
- name: search

[ACTION RESULTS]:
look: found

[INFO]:
b: 1
a: 2

[own block]:
mine

[INSTRUCT]:
do it

[EXAMPLES]:
- one

[INPUT]:
question

[OUTPUT REQUIREMENT]:
Data Format: JSON

[OUTPUT]:`)
  })

  it('is the bare input if there is nothing else', () => {
    expect(textOf({ input: 'Hello', system: 'be kind', info: {}, instruct: '', examples: [] })).toBe('Hello')
    expect(textOf({ input: { z: 1, a: [true, null] } })).toBe('z: 1\na:\n  - true\n  - null')
  })

  it('leaves empty slots out and keeps zero and false', () => {
    expect(textOf({ input: 0, info: false, instruct: null, examples: [] })).toBe(
      '[INFO]:\nfalse\n\n[INPUT]:\n0\n\n[OUTPUT]:',
    )
  })

  it('folds no lines, sorts no keys and writes no references', () => {
    const shared = { long: 'word '.repeat(60).trim() }
    expect(textOf({ info: { z: shared, a: shared, text: 'two\nlines' } })).toBe(
      `[INFO]:\nz:\n  long: ${shared.long}\na:\n  long: ${shared.long}\ntext: |-\n  two\n  lines\n\n[OUTPUT]:`,
    )
  })

  it('explains a circular value', () => {
    const round: Record<string, unknown> = {}
    round['self'] = round
    expect(() => textOf({ info: round })).toThrow(/circular/i)
  })

  it('needs something to say', () => {
    expect(() => renderPrompt({ system: 'be kind', history: [{ role: 'user', content: 'x' }] }, undefined)).toThrow(
      /The turn is empty. Give it an input/,
    )
  })

  it('includes attachments, alone or with text', () => {
    const bytes = new Uint8Array([1, 2, 3])
    const [message] = renderPrompt({ attachment: { type: 'image', data: bytes, mediaType: 'image/png' } }, undefined)
    expect(message?.parts).toEqual([{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' }])
    const [both] = renderPrompt(
      {
        input: 'what?',
        attachment: [
          'a note',
          { type: 'file', url: 'https://x.test/a.pdf', mediaType: 'application/pdf', filename: 'a.pdf' },
        ],
      },
      undefined,
    )
    expect(both?.parts).toEqual([
      { type: 'text', text: 'what?' },
      { type: 'text', text: 'a note' },
      { type: 'file', mediaType: 'application/pdf', url: 'https://x.test/a.pdf', filename: 'a.pdf' },
    ])
  })
})

describe('titles and roles', () => {
  it('can be renamed', () => {
    const titles = { info: 'BACKGROUND', weather: 'SKY', output: 'ANSWER' }
    expect(textOf({ info: 'a', weather: 'b' }, undefined, { titles })).toBe(
      '[BACKGROUND]:\na\n\n[SKY]:\nb\n\n[ANSWER]:',
    )
  })

  it('puts system, developer and history before the user message', () => {
    const slots: Slots = {
      system: 'S',
      role: 'editor',
      rules: ['cite sources'],
      userInfo: { name: 'Ana' },
      developer: 'D',
      history: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: 'hello' },
        { role: 'tool', content: 'log' },
      ],
      input: 'go',
    }
    const messages = renderPrompt(slots, undefined).map(({ role, parts }) => [
      role,
      ...parts.map((part) => 'text' in part && part.text),
    ])
    expect(messages).toEqual([
      ['system', 'S\n\n[ROLE]:\neditor\n\n[RULES]:\n- cite sources\n\n[USER INFO]:\nname: Ana'],
      ['system', 'D'],
      ['user', 'hi'],
      ['assistant', 'hello'],
      ['user', 'log'],
      ['user', 'go'],
    ])
    const renamed = renderPrompt(slots, undefined, { roles: { developer: 'user', tool: 'assistant' } })
    expect(renamed.map(({ role }) => role)).toEqual(['system', 'user', 'user', 'assistant', 'assistant', 'user'])
  })
})

describe('set and merge', () => {
  it('set replaces the slots it names and leaves the others', () => {
    const slots = setSlots({ info: { a: 1 }, input: 'x' }, { info: { b: 2 } })
    expect(slots).toEqual({ info: { b: 2 }, input: 'x' })
    expect(setSlots(slots, { input: undefined })).toEqual({ info: { b: 2 } })
  })

  it('merge joins maps by key, appends to lists and replaces anything else', () => {
    expect(mergeValue({ a: 1, l: [1], m: { x: 1 } }, { a: 2, l: [2], m: { y: 2 } })).toEqual({
      a: 2,
      l: [1, 2],
      m: { x: 1, y: 2 },
    })
    expect(mergeValue(['A'], 'B')).toEqual(['A', 'B'])
    expect(mergeValue('A', ['B'])).toEqual(['B'])
    expect(mergeValue('A', 'B')).toBe('B')
    expect(mergeValue({ a: 1 }, 'text')).toBe('text')
  })

  it('never drops equal items as duplicates', () => {
    const hello = { role: 'user', content: 'hello' }
    expect(mergeSlots({ history: [hello] }, { chat_history: [hello] }).history).toEqual([hello, hello])
  })

  it('treats __proto__ as a normal key', () => {
    const given = JSON.parse('{"__proto__": {"polluted": true}}') as Slots
    expect(Object.keys(mergeSlots({}, given))).toEqual(['__proto__'])
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })
})

describe('files and content parts', () => {
  const fileOf = (slots: Slots) => renderPrompt(slots, undefined)[0]?.parts[0]

  it.each([
    [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }, 'https://x.test/a.png', 'image/*'],
    [{ type: 'image_url', image_url: 'https://x.test/a.png' }, 'https://x.test/a.png', 'image/*'],
    [{ type: 'image', image: 'QUJD', mediaType: 'image/png' }, 'data:image/png;base64,QUJD', 'image/png'],
    [{ type: 'image', image: new Uint8Array([65]) }, 'data:image/*;base64,QQ==', 'image/*'],
    [{ type: 'file', data: 'QQ==', mediaType: 'text/plain' }, 'data:text/plain;base64,QQ==', 'text/plain'],
    [
      { type: 'file', url: new URL('https://x.test/b.pdf'), mediaType: 'application/pdf' },
      'https://x.test/b.pdf',
      'application/pdf',
    ],
  ] as const)('%o is a file, as an attachment and in the history', (part, url, mediaType) => {
    expect(fileOf({ attachment: part })).toEqual({ type: 'file', url, mediaType })
    const history = [{ role: 'user', content: [{ type: 'text', text: 'Look:' }, part] }]
    expect(renderPrompt({ history, input: 'x' }, undefined)[0]?.parts).toEqual([
      { type: 'text', text: 'Look:' },
      { type: 'file', url, mediaType },
    ])
  })

  it('reports a part that cannot be sent, with its position', () => {
    expect(() => fileOf({ attachment: { type: 'audio_clip' } as never })).toThrow(
      'The attachment contains a part of type "audio_clip" that cannot be sent.',
    )
    const history = [{ role: 'user', content: 7 as never }]
    expect(() => renderPrompt({ history, input: 'x' }, undefined)).toThrow(/user message in the history/)
  })
})
