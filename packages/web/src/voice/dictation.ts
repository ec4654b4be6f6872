import { toErrorInfo } from '../api/request.ts'
import type { ChatSessionStore } from '../chat/session/session-types.ts'
import { notice } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { createDraftWriter, type DraftWriter } from './draft-writer.ts'
import { useVoice } from './voice-state.ts'

/** Longest recording for a model, in milliseconds. */
const maxRecordingMs = 10 * 60_000

interface Dictation {
  /** Ends it. Words that are already spoken are still written. */
  stop(): void
  /** Ends it because the draft is gone: words that were shown in it must not come back. */
  discard(): void
}

let current: Dictation | null = null

/** Writes speech into the draft of the current chat until `stopDictation`, or until the chat changes or the draft is sent or emptied. */
export function startDictation(workspace: Workspace): void {
  const { app, session } = workspace
  const { sessionId } = app.getState()
  const store = session(sessionId)
  const leave = app.subscribe((state) => {
    if (state.sessionId !== sessionId) stopDictation()
  })
  const writer = createDraftWriter(store, caretOf(store))
  const sent = store.subscribe((state, before) => {
    if (state.draft === '' && before.draft !== '' && !writer.wrote('')) current?.discard()
  })
  const end = (message?: string): void => {
    leave()
    sent()
    current = null
    useVoice.setState({ dictating: 'off' })
    focusMessage()
    if (message !== undefined) notice(message, settingsAction(workspace))
  }
  const toModel = () => recordForModel(workspace, writer, end)
  const { dictation } = useVoice.getState()
  if (dictation === 'model' || (dictation === 'auto' && recognition() === undefined)) toModel()
  else listenWithBrowser(writer, { end, toModel: dictation === 'auto' ? toModel : undefined })
}

export function stopDictation(): void {
  current?.stop()
}

/** The next key is for the message, unless the focus has moved elsewhere meanwhile. */
function focusMessage(): void {
  const { activeElement: focused } = document
  if (focused === null || focused === document.body || focused.matches('.dictate')) messageField()?.focus()
}

function messageField(): HTMLTextAreaElement | null {
  return document.querySelector('.composer-box textarea')
}

function settingsAction({ app }: Workspace) {
  return { label: t.voice.openSettings, onSelect: () => app.openSettings('voice') }
}

function caretOf(store: ChatSessionStore): { start: number; end: number } {
  const field = messageField()
  const { length } = store.getState().draft
  return { start: field?.selectionStart ?? length, end: field?.selectionEnd ?? length }
}

/** The part of the Web Speech API that is used. TypeScript's DOM types lack it. */
interface SpeechRecognition {
  lang: string
  continuous: boolean
  interimResults: boolean
  onstart: (() => void) | null
  onresult: ((event: RecognitionEvent) => void) | null
  onerror: ((event: { error: string }) => void) | null
  onend: (() => void) | null
  start(): void
  stop(): void
  abort(): void
}

interface RecognitionEvent {
  resultIndex: number
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>
}

function recognition(): (new () => SpeechRecognition) | undefined {
  const { SpeechRecognition, webkitSpeechRecognition } = window as unknown as Record<
    string,
    (new () => SpeechRecognition) | undefined
  >
  return SpeechRecognition ?? webkitSpeechRecognition
}

/** Errors after which a model can still transcribe. */
const browserOnlyErrors = new Set(['network', 'service-not-allowed', 'language-not-supported'])

function listenWithBrowser(
  writer: DraftWriter,
  on: { end: (message?: string) => void; toModel: (() => void) | undefined },
): void {
  const Recognition = recognition()
  if (Recognition === undefined) return on.end(t.voice.noBrowserSpeech)
  const listener = new Recognition()
  listener.lang = useVoice.getState().spokenLanguage || navigator.language
  listener.continuous = true
  listener.interimResults = true
  let failed: string | undefined
  let isStopped = false
  let isDiscarded = false
  listener.onstart = () => useVoice.setState({ dictating: 'listening' })
  listener.onresult = ({ resultIndex, results }) => {
    if (isDiscarded) return
    let heard = ''
    for (let index = resultIndex; index < results.length; index++) {
      const { isFinal, 0: best } = results[index]!
      if (isFinal) writer.commit(best?.transcript ?? '')
      else heard += best?.transcript ?? ''
    }
    writer.preview(heard)
  }
  listener.onerror = ({ error }) => void (failed = error)
  listener.onend = () => {
    if (!isDiscarded) writer.preview('')
    if (failed === undefined && !isStopped) {
      // Browsers end a long dictation by themselves.
      listener.start()
    } else if (failed !== undefined && browserOnlyErrors.has(failed) && !isStopped && on.toModel !== undefined)
      on.toModel()
    else on.end(failed === undefined ? undefined : recognitionError(failed))
  }
  current = {
    stop: () => {
      isStopped = true
      listener.stop()
    },
    discard: () => {
      isStopped = true
      isDiscarded = true
      listener.abort()
    },
  }
  listener.start()
}

function recognitionError(error: string): string | undefined {
  if (error === 'aborted') return undefined
  if (error === 'not-allowed') return t.voice.refused
  if (error === 'audio-capture') return t.voice.noMicrophone
  if (error === 'no-speech') return t.voice.noSpeech
  return t.voice.browserFailed
}

function recordForModel({ api }: Workspace, writer: DraftWriter, end: (message?: string) => void): void {
  const aborting = new AbortController()
  let recorder: MediaRecorder | undefined
  let isStopped = false
  const stop = () => {
    isStopped = true
    if (recorder?.state === 'recording') recorder.stop()
    else aborting.abort()
  }
  // Nothing of the recording was shown, so its words belong to the next draft.
  current = { stop, discard: stop }
  useVoice.setState({ dictating: 'starting' })
  void work().then(
    (text) => {
      if (text === '') return end(t.voice.noSpeech)
      if (text !== undefined) writer.commit(text)
      end()
    },
    (error: unknown) => end(aborting.signal.aborted ? undefined : microphoneError(error)),
  )

  async function work(): Promise<string | undefined> {
    const { models } = await api.transcriptionModels()
    if (models.length === 0) throw new Unavailable(t.voice.noTranscriptionModel)
    if (navigator.mediaDevices === undefined) throw new Unavailable(t.voice.insecure)
    const stream = await navigator.mediaDevices.getUserMedia({ audio: true })
    try {
      if (isStopped) return undefined
      const recording = await record(stream)
      useVoice.setState({ dictating: 'transcribing' })
      return (await api.transcribe(recording, aborting.signal)).text
    } finally {
      for (const track of stream.getTracks()) track.stop()
    }
  }

  function record(stream: MediaStream): Promise<Blob> {
    const chunks: Blob[] = []
    const made = new MediaRecorder(stream)
    recorder = made
    const { promise, resolve, reject } = Promise.withResolvers<Blob>()
    made.ondataavailable = ({ data }) => chunks.push(data)
    made.onerror = () => reject(new Unavailable(t.voice.noMicrophone))
    made.onstop = () => resolve(new Blob(chunks, { type: made.mimeType.split(';', 1)[0] }))
    made.start()
    useVoice.setState({ dictating: 'listening' })
    const limit = setTimeout(() => made.state === 'recording' && made.stop(), maxRecordingMs)
    return promise.finally(() => clearTimeout(limit))
  }
}

/** An obstacle, as a sentence for the user. */
class Unavailable extends Error {}

function microphoneError(error: unknown): string {
  if (error instanceof Unavailable) return error.message
  const { name } = error as { name?: string }
  if (name === 'NotAllowedError' || name === 'SecurityError') return t.voice.refused
  if (name === 'NotFoundError' || name === 'NotReadableError') return t.voice.noMicrophone
  return toErrorInfo(error).message
}
