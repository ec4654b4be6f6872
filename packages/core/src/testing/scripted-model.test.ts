import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { APICallError } from '@ai-sdk/provider'
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { generateText, stepCountIs, streamText, tool } from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { loadScript, scriptSchema } from './script.ts'
import { scriptedModel } from './scripted-model.ts'
import type { ScriptedModel } from './scripted-model.ts'

const user = (text: string): LanguageModelV4Prompt[number] => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): LanguageModelV4Prompt[number] => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})

async function parts(
  model: ScriptedModel,
  options: Partial<LanguageModelV4CallOptions> = {},
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream({ prompt: [user('hi')], ...options })
  return Array.fromAsync(stream)
}

const types = (list: LanguageModelV4StreamPart[]) => list.map((part) => part.type)
const textOf = (list: LanguageModelV4StreamPart[]) =>
  list.flatMap((part) => (part.type === 'text-delta' ? [part.delta] : []))

describe('contents of a turn', () => {
  test('text has the requested number of chunks and joins to the same text', async () => {
    const list = await parts(scriptedModel([[{ text: 'one two three', chunks: 4 }]]))
    expect(textOf(list)).toHaveLength(4)
    expect(textOf(list).join('')).toBe('one two three')
    expect(list.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } })
  })

  test('text is cut at the given sizes and the rest is the last chunk', async () => {
    const list = await parts(scriptedModel([[{ text: 'abcdefgh', chunks: [1, 3] }]]))
    expect(textOf(list)).toEqual(['a', 'bcd', 'efgh'])
  })

  test('no cut tears a character outside the basic plane', async () => {
    const text = '🙂🙃a🙂'
    for (let chunks = 1; chunks <= text.length; chunks++) {
      const pieces = textOf(await parts(scriptedModel([[{ text, chunks }]])))
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) expect(piece.isWellFormed()).toBe(true)
    }
  })

  test('a call streams its input before it is complete, and the finish reason follows', async () => {
    const list = await parts(scriptedModel([[{ call: { name: 'Look', input: { at: 'x' }, chunks: 2 } }]]))
    expect(types(list)).toEqual([
      'stream-start',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'finish',
    ])
    expect(list[5]).toEqual({ type: 'tool-call', toolCallId: 'call-0-0', toolName: 'Look', input: '{"at":"x"}' })
    expect(list.at(-1)).toMatchObject({ finishReason: { unified: 'tool-calls' } })
  })

  test('malformed input is passed on unchanged', async () => {
    const list = await parts(scriptedModel([[{ call: { name: 'Look', rawInput: '{"at": ', stream: false } }]]))
    expect(list[1]).toMatchObject({ type: 'tool-call', input: '{"at": ' })
  })

  test('reasoning, files, sources, raw parts and a given finish are played', async () => {
    const list = await parts(
      scriptedModel([
        [
          { reasoning: 'hm', providerMetadata: { acme: { signature: 's' } } },
          { file: { mediaType: 'image/png', data: 'AAAA' } },
          { source: { url: 'https://example.com/a', title: 'A' } },
          { source: { mediaType: 'text/plain', title: 'B', filename: 'b.txt' } },
          { part: { type: 'raw', rawValue: 1 } },
          { finish: 'length', usage: { inputTokens: 7, outputTokens: 5, reasoningTokens: 2 } },
        ],
      ]),
    )
    expect(types(list)).toEqual([
      'stream-start',
      'reasoning-start',
      'reasoning-delta',
      'reasoning-end',
      'file',
      'source',
      'source',
      'raw',
      'finish',
    ])
    expect(list[3]).toMatchObject({ providerMetadata: { acme: { signature: 's' } } })
    expect(list.at(-1)).toMatchObject({
      finishReason: { unified: 'length' },
      usage: { inputTokens: { total: 7 }, outputTokens: { total: 5, text: 3, reasoning: 2 } },
    })
  })

  test('usage missing in the script is an estimate, marked as one', async () => {
    const list = await parts(scriptedModel([[{ text: 'x'.repeat(40) }]]), { prompt: [user('y'.repeat(80))] })
    expect(list.at(-1)).toMatchObject({
      usage: { inputTokens: { total: 20 }, outputTokens: { total: 10 }, raw: { estimated: true } },
    })
  })
})

describe('faults', () => {
  test('an error at the start refuses the request like a provider does', async () => {
    const model = scriptedModel([
      [{ error: { message: 'slow down', statusCode: 429, headers: { 'retry-after': '2' } } }],
      [{ text: 'ok' }],
    ])
    const error = await parts(model).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(APICallError)
    expect(error).toMatchObject({ message: 'slow down', statusCode: 429, isRetryable: true })
    expect((error as APICallError).responseHeaders).toEqual({ 'retry-after': '2' })
    expect(textOf(await parts(model))).toEqual(['ok'])
  })

  test('an error with a count stops after it, so that a retry in prompt mode succeeds', async () => {
    const script = {
      by: 'prompt' as const,
      turns: [[{ error: { message: 'busy', statusCode: 503 }, times: 2 }, { text: 'ok' }]],
    }
    const model = scriptedModel(script)
    await expect(parts(model)).rejects.toThrow('busy')
    await expect(parts(model)).rejects.toThrow('busy')
    expect(textOf(await parts(model))).toEqual(['ok'])
  })

  test('an error after the first text is part of the stream and ends it', async () => {
    const list = await parts(scriptedModel([[{ text: 'so far' }, { error: { message: 'overloaded' } }]]))
    expect(types(list).slice(-2)).toEqual(['error', 'finish'])
    expect(list.at(-1)).toMatchObject({ finishReason: { unified: 'error' } })
  })

  test('a cut ends the stream without a finish', async () => {
    expect(types(await parts(scriptedModel([[{ text: 'so far' }, { cut: true }]])))).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
    ])
  })

  test('a reset breaks the stream after the text so far', async () => {
    const { stream } = await scriptedModel([[{ text: 'so far' }, { reset: true }]]).doStream({ prompt: [user('hi')] })
    const seen: string[] = []
    const reading = (async () => {
      for await (const part of stream) seen.push(part.type)
    })()
    await expect(reading).rejects.toMatchObject({ message: 'terminated', cause: { code: 'ECONNRESET' } })
    expect(seen).toContain('text-delta')
  })

  test('a call beyond the last turn is an error that counts', async () => {
    const model = scriptedModel([[{ text: 'only one' }]])
    await parts(model)
    await expect(parts(model)).rejects.toThrow('The script has 1 turns, and call number 2 came.')
  })
})

describe('which turn is played', () => {
  const turns = [[{ text: 'first' }], [{ text: 'second' }], [{ text: 'third' }]]

  test('by prompt, a new process continues at the same point of the conversation', async () => {
    const model = scriptedModel({ by: 'prompt', turns })
    const prompt = [user('a'), assistant('x'), user('b'), assistant('y')]
    expect(textOf(await parts(model, { prompt }))).toEqual(['second'])
    expect(textOf(await parts(model, { prompt: [...prompt, user('c')] }))).toEqual(['first'])
  })

  test('by history, steps of earlier user messages count as well', async () => {
    const model = scriptedModel(turns, { by: 'history' })
    const prompt = [user('a'), assistant('x'), user('b'), assistant('y'), user('c')]
    expect(textOf(await parts(model, { prompt }))).toEqual(['third'])
  })

  test('generated call ids are the same when a turn is replayed and new in each step', async () => {
    const model = scriptedModel(() => [{ call: { name: 'Look' } }, { call: { name: 'Look' } }], { by: 'prompt' })
    const ids = async (prompt: LanguageModelV4Prompt) =>
      (await parts(model, { prompt })).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
    const first = await ids([user('a')])
    expect(await ids([user('a')])).toEqual(first)
    const later = await ids([user('a'), assistant('x'), user('b')])
    expect(new Set([...first, ...later]).size).toBe(4)
  })

  test('a function sees prompt, index and request', async () => {
    const model = scriptedModel((prompt, index, request) => [
      { text: `${prompt.length} ${index} ${request.temperature}` },
    ])
    await parts(model)
    expect(textOf(await parts(model, { temperature: 0.5 }))).toEqual(['1 1 0.5'])
  })

  test('every request is recorded unchanged, even if the caller changes its array later', async () => {
    const model = scriptedModel(turns)
    const prompt = [user('a')]
    await parts(model, { prompt })
    prompt.push(assistant('x'))
    expect(model.calls).toHaveLength(1)
    expect(model.calls[0]?.prompt).toEqual([user('a')])
  })
})

describe('stopping', () => {
  test('an abort during a delay ends the stream at once with the reason', async () => {
    const stop = new AbortController()
    const model = scriptedModel([[{ text: 'so far' }, { delayMs: 3_600_000 }, { text: 'never' }]])
    const { stream } = await model.doStream({ prompt: [user('hi')], abortSignal: stop.signal })
    const reader = stream.getReader()
    for (let i = 0; i < 4; i++) await reader.read()
    const next = reader.read()
    stop.abort(new Error('stopped'))
    await expect(next).rejects.toThrow('stopped')
  })

  test('an abort at a gate ends the stream, and another stream still passes it', async () => {
    const stop = new AbortController()
    const model = scriptedModel(() => [{ gate: 'here' }, { text: 'passed' }])
    const aborted = parts(model, { abortSignal: stop.signal })
    const waiting = parts(model)
    await model.reached('here')
    stop.abort(new Error('stopped'))
    await expect(aborted).rejects.toThrow('stopped')
    model.open('here')
    expect(textOf(await waiting)).toEqual(['passed'])
  })

  test('a signal that is aborted already refuses the call', async () => {
    await expect(
      parts(scriptedModel([[{ text: 'x' }]]), { abortSignal: AbortSignal.abort(new Error('too late')) }),
    ).rejects.toThrow('too late')
  })

  test('parts are created only when they are read', async () => {
    const model = scriptedModel([[{ text: 'x'.repeat(10_000_000), chunks: 10_000_000 }]])
    const { stream } = await model.doStream({ prompt: [user('hi')] })
    const reader = stream.getReader()
    for (let i = 0; i < 10; i++) expect((await reader.read()).done).toBe(false)
    await reader.cancel()
  })
})

describe('with the AI SDK', () => {
  const tools = { Look: tool({ inputSchema: z.object({ at: z.string() }), execute: ({ at }) => `saw ${at}` }) }

  test('streamText runs a tool and reads the answer', async () => {
    const model = scriptedModel([[{ call: { name: 'Look', input: { at: 'sea' } } }], [{ text: 'a sea' }]])
    const result = streamText({ model, tools, prompt: 'hi', stopWhen: stepCountIs(5) })
    expect(await result.text).toBe('a sea')
    expect(JSON.stringify(model.calls[1]?.prompt)).toContain('saw sea')
    expect(model.calls[0]?.tools?.[0]?.name).toBe('Look')
  })

  test('generateText gets the same turn as one result', async () => {
    const model = scriptedModel([[{ reasoning: 'hm' }, { text: 'an', chunks: 2 }, { text: 'swer' }]])
    const result = await generateText({ model, prompt: 'hi' })
    expect(result.text).toBe('answer')
    expect(result.finalStep.reasoningText).toBe('hm')
  })
})

describe('scripts from files', () => {
  const folders: string[] = []
  afterEach(async () => {
    await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
  })

  async function file(content: unknown): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'script-'))
    folders.push(folder)
    await writeFile(join(folder, 'script.json'), JSON.stringify(content))
    return join(folder, 'script.json')
  }

  test('a JSON file is played', async () => {
    const script = await loadScript(await file({ by: 'prompt', turns: [[{ text: 'from a file' }]] }))
    expect(textOf(await parts(scriptedModel(script)))).toEqual(['from a file'])
  })

  test('an error has its position and the valid items', async () => {
    const path = await file({ turns: [[{ text: 'fine' }, { txet: 'typo' }]] })
    await expect(loadScript(path)).rejects.toThrow(/an item is one of/)
    await expect(loadScript(path)).rejects.toThrow(path)
    await expect(loadScript(path)).rejects.toThrow(/turns\[0\]\[1\]/)
    expect(scriptSchema.safeParse([[{ text: 'x', call: { name: 'two at once' } }]]).success).toBe(false)
  })
})
