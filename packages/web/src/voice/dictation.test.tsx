import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { Composer } from '../composer/composer.tsx'
import { Notices } from '../state/notices.tsx'
import { button, change, click, eventually, field, press, render, type } from '../testing/render.tsx'
import { t } from '../texts/t.ts'
import { setVoiceEngine, useVoice } from './voice-state.ts'

const open = { access: 'open', models: [], modelsLoaded: true } as never

/** The browser's speech recognition, driven by a test. */
class FakeRecognition {
  static current: FakeRecognition | undefined
  lang = ''
  onstart: (() => void) | null = null
  onresult: ((event: unknown) => void) | null = null
  onerror: ((event: { error: string }) => void) | null = null
  onend: (() => void) | null = null
  results: unknown[] = []
  starts = 0

  start(): void {
    FakeRecognition.current = this
    this.starts += 1
    this.onstart?.()
  }

  stop(): void {
    this.onend?.()
  }

  abort(): void {
    this.onerror?.({ error: 'aborted' })
    this.onend?.()
  }

  hear(transcript: string, isFinal: boolean): void {
    const index = this.results.length
    const results = [...this.results, Object.assign([{ transcript }], { isFinal })]
    if (isFinal) this.results = results
    this.onresult?.({ resultIndex: index, results })
  }

  fail(error: string): void {
    this.onerror?.({ error })
    this.onend?.()
  }
}

class FakeRecorder {
  static current: FakeRecorder | undefined
  state = 'inactive'
  mimeType = 'audio/webm;codecs=opus'
  ondataavailable: ((event: { data: Blob }) => void) | null = null
  onstop: (() => void) | null = null

  constructor() {
    FakeRecorder.current = this
  }

  start(): void {
    this.state = 'recording'
  }

  stop(): void {
    this.state = 'inactive'
    this.ondataavailable?.({ data: new Blob(['sound']) })
    this.onstop?.()
  }
}

const stopTrack = vi.fn<() => void>()

function microphone(answer: () => Promise<unknown>): void {
  vi.stubGlobal('MediaRecorder', FakeRecorder)
  Object.defineProperty(navigator, 'mediaDevices', { configurable: true, value: { getUserMedia: answer } })
}

beforeEach(() => {
  FakeRecognition.current = undefined
  FakeRecorder.current = undefined
  stopTrack.mockClear()
  vi.stubGlobal('SpeechRecognition', FakeRecognition)
  useVoice.setState({ dictating: 'off', dictation: 'auto' })
  return () => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  }
})

async function show(options: Parameters<typeof render>[1] = {}) {
  return render(
    <>
      <Composer />
      <Notices />
    </>,
    { app: open, ...options },
  )
}

async function dictate() {
  await click(button(t.composer.dictate))
  await eventually(() => FakeRecognition.current !== undefined)
  return FakeRecognition.current!
}

const draft = () => field(t.composer.message).value

test('words appear at the caret while they are spoken, and stay', async () => {
  await show({ chat: { draft: 'Please  today' } })
  field(t.composer.message).setSelectionRange(7, 7)
  const browser = await dictate()
  await change(() => browser.hear('fix the', false))
  expect(draft()).toBe('Please fix the today')
  await change(() => browser.hear('fix the test', true))
  await change(() => browser.hear('now', false))
  expect(draft()).toBe('Please fix the test now today')
  await click(button(t.composer.stopDictating))
  expect(draft()).toBe('Please fix the test today')
  expect(useVoice.getState().dictating).toBe('off')
})

test('what the user types meanwhile is kept', async () => {
  await show()
  const browser = await dictate()
  await change(() => browser.hear('one', true))
  await type(field(t.composer.message), 'one and a half')
  await change(() => browser.hear('two', true))
  expect(draft()).toBe('one and a half two')
})

test.each([
  ['behind them', 'say hello there', 'say hello there!', 'say hello there you!'],
  ['before them', 'say hello there', 'Please say hello there', 'Please say hello there you'],
  ['in the middle of them', 'say hello there', 'say hallo there', 'say hallo there'],
])('words that are still being said are not written twice when the user types %s', async (_, shown, typed, then) => {
  await show({ chat: { draft: 'say' } })
  field(t.composer.message).setSelectionRange(3, 3)
  const browser = await dictate()
  await change(() => browser.hear('hello there', false))
  expect(draft()).toBe(shown)
  await type(field(t.composer.message), typed)
  await change(() => browser.hear('hello there you', false))
  expect(draft()).toBe(then)
  await change(() => browser.hear('hello there you', true))
  expect(draft()).toBe(then)
  await change(() => browser.hear('next', true))
  expect(draft()).toBe(`${then} next`)
})

test('words that were sent while they were being said do not come back', async () => {
  const { session } = await show()
  const browser = await dictate()
  await change(() => browser.hear('send this', false))
  const late = browser.onresult
  await change(() => session.setState({ draft: '' }))
  expect(useVoice.getState().dictating).toBe('off')
  await change(() =>
    late?.({ resultIndex: 0, results: [Object.assign([{ transcript: 'send this' }], { isFinal: true })] }),
  )
  expect(draft()).toBe('')
})

test('a long dictation that the browser ends by itself goes on', async () => {
  await show()
  const browser = await dictate()
  await change(() => browser.onend?.())
  expect(browser.starts).toBe(2)
  expect(useVoice.getState().dictating).toBe('listening')
})

test('push-to-talk: releasing a long press stops, a short press does not', async () => {
  await show()
  let now = 1000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const pointer = (kind: string) =>
    change(() => button(/dictat/i).dispatchEvent(new PointerEvent(kind, { bubbles: true, button: 0, pointerId: 1 })))
  Element.prototype.setPointerCapture ??= () => undefined
  await pointer('pointerdown')
  await eventually(() => FakeRecognition.current !== undefined)
  now += 100
  await pointer('pointerup')
  expect(useVoice.getState().dictating).toBe('listening')
  await pointer('pointerdown')
  await eventually(() => useVoice.getState().dictating === 'off')
  await pointer('pointerdown')
  await eventually(() => useVoice.getState().dictating === 'listening')
  now += 900
  await pointer('pointerup')
  await eventually(() => useVoice.getState().dictating === 'off')
})

test.each([
  ['not-allowed', () => t.voice.refused],
  ['audio-capture', () => t.voice.noMicrophone],
  ['no-speech', () => t.voice.noSpeech],
])('a failure of the browser (%s) is explained, with a way to the settings', async (error, text) => {
  const { app } = await show({ chat: { draft: 'kept' } })
  const browser = await dictate()
  await change(() => browser.fail(error))
  expect(document.body.textContent).toContain(text())
  expect(draft()).toBe('kept')
  await click(button(t.voice.openSettings))
  expect(app.getState()).toMatchObject({ dialog: 'settings', settingsAt: 'voice' })
})

const models = () => ({ models: [{ ref: 'acme/whisper' }] })

test('without a browser that listens, a model transcribes the recording', async () => {
  vi.stubGlobal('SpeechRecognition', undefined)
  microphone(async () => ({ getTracks: () => [{ stop: stopTrack }] }))
  const { requests } = await show({
    answers: { 'GET /ai/transcribe/models': models, 'POST /ai/transcribe': () => ({ text: 'hello model' }) },
  })
  await click(button(t.composer.dictate))
  await eventually(() => FakeRecorder.current?.state === 'recording')
  await click(button(t.composer.stopDictating))
  await eventually(() => draft() === 'hello model')
  expect(requests.filter((request) => request === 'POST /ai/transcribe')).toHaveLength(1)
  expect(stopTrack).toHaveBeenCalled()
})

test('if the browser’s service is unreachable, a model takes over', async () => {
  microphone(async () => ({ getTracks: () => [{ stop: stopTrack }] }))
  await show({
    answers: { 'GET /ai/transcribe/models': models, 'POST /ai/transcribe': () => ({ text: 'from the model' }) },
  })
  const browser = await dictate()
  await change(() => browser.fail('network'))
  await eventually(() => FakeRecorder.current?.state === 'recording')
  await click(button(t.composer.stopDictating))
  await eventually(() => useVoice.getState().dictating === 'off')
  expect(draft()).toBe('from the model')
})

test('a refused microphone and a missing model are explained', async () => {
  vi.stubGlobal('SpeechRecognition', undefined)
  microphone(() => Promise.reject(Object.assign(new Error('no'), { name: 'NotAllowedError' })))
  let listed = models()
  await show({ answers: { 'GET /ai/transcribe/models': () => listed } })
  await click(button(t.composer.dictate))
  await eventually(() => document.body.textContent.includes(t.voice.refused))
  listed = { models: [] }
  await click(button(t.composer.dictate))
  await eventually(() => document.body.textContent.includes(t.voice.noTranscriptionModel))
  expect(useVoice.getState().dictating).toBe('off')
})

test('dictation can be turned off', async () => {
  setVoiceEngine('dictation', 'off')
  onTestFinished(() => setVoiceEngine('dictation', 'auto'))
  await show()
  expect(document.querySelector('.dictate')).toBeNull()
  await press(field(t.composer.message), 'v', { altKey: true })
  expect(FakeRecognition.current).toBeUndefined()
})
