import { beforeEach, expect, test, vi } from 'vitest'
import { Notices } from '../state/notices.tsx'
import { button, change, click, eventually, render } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { useWorkspace, type Workspace } from '../workspace/workspace.ts'
import { readAloud } from './read-aloud.ts'
import { ReadingBar } from './reading-bar.tsx'
import { useVoice } from './voice-state.ts'

interface Utterance {
  text: string
  lang: string
  onstart?: () => void
  onend?: () => void
  onerror?: (event: { error: string }) => void
}

const spoken: Utterance[] = []
const synthesis = {
  voices: [{}],
  getVoices: () => synthesis.voices,
  addEventListener: (_: string, listener: () => void) => listener(),
  speak: (utterance: Utterance) => {
    spoken.push(utterance)
    utterance.onstart?.()
  },
  cancel: vi.fn<() => void>(),
  pause: vi.fn<() => void>(),
  resume: vi.fn<() => void>(),
}

class FakeAudio {
  static all: FakeAudio[] = []
  src = ''
  onended: (() => void) | null = null
  plays = 0
  pause = vi.fn<() => void>()

  constructor() {
    FakeAudio.all.push(this)
  }

  play(): Promise<void> {
    this.plays += 1
    return Promise.resolve()
  }
}

beforeEach(() => {
  spoken.length = 0
  FakeAudio.all = []
  synthesis.voices = [{}]
  vi.stubGlobal('speechSynthesis', synthesis)
  vi.stubGlobal(
    'SpeechSynthesisUtterance',
    class {
      lang = ''
      text: string
      constructor(text: string) {
        this.text = text
      }
    },
  )
  vi.stubGlobal('Audio', FakeAudio)
  useVoice.setState({ read: null, reading: 'auto', spokenLanguage: 'en-US' })
  return () => vi.unstubAllGlobals()
})

async function show(answers = {}) {
  let workspace!: Workspace
  function Show() {
    workspace = useWorkspace()
    return (
      <>
        <ReadingBar />
        <Notices />
      </>
    )
  }
  const shown = await render(<Show />, { answers })
  const start = (text: string) => readAloud(workspace, { id: 'm1', text })
  return { ...shown, start, read: (text: string) => change(() => start(text)) }
}

const sentences = (count: number) => Array.from({ length: count }, (_, i) => `Sentence number ${i} is here.`).join(' ')

test('the browser reads piece by piece and the controls go at the end', async () => {
  const { read, view } = await show()
  await read(`**Hello**\n\n${sentences(12)}`)
  expect(view.textContent).toContain(t.voice.readingAloud)
  for (let index = 0; index < 20 && useVoice.getState().read !== null; index++)
    await change(() => spoken.at(-1)?.onend?.())
  expect(spoken.length).toBeGreaterThan(1)
  expect(spoken[0]).toMatchObject({ lang: 'en-US' })
  expect(spoken.map(({ text }) => text).join(' ')).toContain('Sentence number 11 is here.')
  expect(view.querySelector('.reading-bar')).toBeNull()
})

test('it can be paused and stopped', async () => {
  const { read } = await show()
  await read(sentences(10))
  await click(button(t.voice.pause))
  expect(synthesis.pause).toHaveBeenCalled()
  await click(button(t.voice.resume))
  expect(synthesis.resume).toHaveBeenCalled()
  await click(button(t.voice.stopReading))
  const count = spoken.length
  await change(() => spoken.at(-1)?.onend?.())
  expect(spoken).toHaveLength(count)
  expect(useVoice.getState().read).toBeNull()
})

test('without voices in the browser a model reads, and requests the next piece early', async () => {
  synthesis.voices = []
  const bodies: { text: string }[] = []
  const { read } = await show({
    'GET /ai/speech/models': () => ({ models: [{ ref: 'acme/tts' }] }),
    'POST /ai/speech': (body: { text: string }) => {
      bodies.push(body)
      return new Response('sound', { headers: { 'content-type': 'audio/mpeg' } })
    },
  })
  await read(sentences(30))
  await eventually(() => useVoice.getState().read?.state === 'speaking')
  expect(bodies).toHaveLength(2)
  await change(() => FakeAudio.all[0]?.onended?.())
  await eventually(() => useVoice.getState().read === null || bodies.length >= 2)
  await change(() => FakeAudio.all[0]?.onended?.())
  await eventually(() => useVoice.getState().read === null)
  expect(bodies.map(({ text }) => text).join(' ')).toBe(sentences(30))
})

test('a failing provider and a missing voice are explained, and nothing keeps running', async () => {
  synthesis.voices = []
  let models: unknown[] = []
  const { read, view } = await show({
    'GET /ai/speech/models': () => ({ models }),
    'POST /ai/speech': () =>
      Response.json({ error: { name: 'VoiceFailed', message: 'acme/tts failed: no credit' } }, { status: 502 }),
  })
  await read('Hello.')
  await eventually(() => view.textContent.includes(t.voice.noVoice))
  models = [{ ref: 'acme/tts' }]
  await read('Hello.')
  await eventually(() => view.textContent.includes('no credit'))
  expect(useVoice.getState().read).toBeNull()
})

test('an answer of nothing but code says so', async () => {
  const { read } = await show()
  await read('```\n\n```')
  expect(spoken[0]?.text).toBe(t.voice.codeBlock)
  await read('![](x)')
  expect(spoken).toHaveLength(1)
})

test('a pause between two pieces stays one', async () => {
  const { read } = await show()
  await read(sentences(20))
  await click(button(t.voice.pause))
  await change(() => spoken[0]?.onend?.())
  expect(spoken).toHaveLength(1)
  expect(useVoice.getState().read?.state).toBe('paused')
  await click(button(t.voice.resume))
  expect(spoken).toHaveLength(2)
})

const speech = {
  'GET /ai/speech/models': () => ({ models: [{ ref: 'acme/tts' }] }),
  'POST /ai/speech': () => new Response('sound', { headers: { 'content-type': 'audio/mpeg' } }),
}

test('a pause of a model’s voice holds the next piece, and is no failure before the first sound', async () => {
  synthesis.voices = []
  const { read, view } = await show(speech)
  await read(sentences(30))
  await eventually(() => useVoice.getState().read?.state === 'speaking')
  const audio = FakeAudio.all[0]!
  await click(button(t.voice.pause))
  await change(() => audio.onended?.())
  expect([audio.plays, useVoice.getState().read?.state]).toEqual([1, 'paused'])
  vi.spyOn(audio, 'play').mockImplementationOnce(() =>
    Promise.reject(new DOMException('The play() request was interrupted by a call to pause().', 'AbortError')),
  )
  await click(button(t.voice.resume))
  await eventually(() => audio.plays === 2)
  expect(view.textContent).not.toContain('interrupted')
  expect(useVoice.getState().read?.state).toBe('speaking')
})

test('a message that is read again before its first reading began is read once', async () => {
  synthesis.voices = []
  const models = Promise.withResolvers<{ models: { ref: string }[] }>()
  const { start } = await show({ ...speech, 'GET /ai/speech/models': () => models.promise })
  await change(() => {
    const both = [start('Hello.'), start('Hello.')]
    models.resolve({ models: [{ ref: 'acme/tts' }] })
    return Promise.all(both)
  })
  await eventually(() => useVoice.getState().read?.state === 'speaking')
  expect(FakeAudio.all).toHaveLength(1)
})
