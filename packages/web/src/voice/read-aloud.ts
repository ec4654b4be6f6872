import { notice, noticeError } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { speakableText, speechPieces, spokenLanguage } from './speakable.ts'
import { useVoice } from './voice-state.ts'

/** A speech engine. `end` is called once, after the last piece, a failure or `stop`. */
interface Speaker {
  pause(): void
  resume(): void
  stop(): void
}

let speaker: Speaker | null = null
/** Counts the readings. The same message can be read again before the first attempt has begun. */
let turn = 0

/** Reads a message aloud, with the browser's voice or a model's. Ends the one before. */
export async function readAloud(workspace: Workspace, message: { id: string; text: string }): Promise<void> {
  stopReading()
  const text = speakableText(message.text, { code: t.voice.codeBlock, formula: t.voice.formula })
  if (text === '') return notice(t.voice.nothingToRead)
  const mine = turn
  const isCurrent = () => mine === turn
  useVoice.setState({ read: { messageId: message.id, state: 'loading' } })
  try {
    const engine = await chooseEngine(workspace)
    if (!isCurrent()) return
    if (engine === null) {
      notice(t.voice.noVoice, { label: t.voice.openSettings, onSelect: () => workspace.app.openSettings('voice') })
      return stopReading()
    }
    const on = {
      spoke: () => isCurrent() && spoke(),
      end: () => isCurrent() && stopReading(),
    }
    speaker = engine === 'browser' ? speakWithBrowser(text, on) : speakWithModel(workspace, text, on)
  } catch (error) {
    if (!isCurrent()) return
    stopReading()
    noticeError(error)
  }
}

/** A pause stays one when the next piece begins. */
function spoke(): void {
  useVoice.setState(({ read }) => (read?.state === 'loading' ? { read: { ...read, state: 'speaking' } } : {}))
}

export function stopReading(): void {
  const ended = speaker
  turn++
  speaker = null
  ended?.stop()
  if (useVoice.getState().read !== null) useVoice.setState({ read: null })
}

export function pauseReading(): void {
  const { read } = useVoice.getState()
  if (read === null || speaker === null) return
  const isPaused = read.state === 'paused'
  if (isPaused) speaker.resume()
  else speaker.pause()
  useVoice.setState({ read: { ...read, state: isPaused ? 'speaking' : 'paused' } })
}

async function chooseEngine({ api }: Workspace): Promise<'browser' | 'model' | null> {
  const { reading } = useVoice.getState()
  if (reading !== 'model' && (await browserVoices()) > 0) return 'browser'
  if (reading === 'browser') return null
  return (await api.speechModels()).models.length > 0 ? 'model' : null
}

/** Chromium loads its voices after the first request for them. */
async function browserVoices(): Promise<number> {
  const { speechSynthesis } = window
  if (speechSynthesis === undefined) return 0
  if (speechSynthesis.getVoices().length > 0) return speechSynthesis.getVoices().length
  await new Promise<void>((resolve) => {
    speechSynthesis.addEventListener('voiceschanged', () => resolve(), { once: true })
    setTimeout(resolve, 700)
  })
  return speechSynthesis.getVoices().length
}

interface SpeakerEvents {
  spoke: () => unknown
  end: () => unknown
}

/** Short pieces: some browsers stop in the middle of a long one. */
function speakWithBrowser(text: string, { spoke, end }: SpeakerEvents): Speaker {
  const { speechSynthesis } = window
  const preferred = useVoice.getState().spokenLanguage || navigator.language
  const pieces = speechPieces(text, { first: 200, most: 200 })
  let isStopped = false
  let isPaused = false
  /** The piece whose turn came during a pause. */
  let held: number | undefined
  const say = (index: number): void => {
    const piece = pieces[index]
    if (isPaused && !isStopped) return void (held = index)
    if (isStopped || piece === undefined) return void (isStopped || end())
    const utterance = new SpeechSynthesisUtterance(piece)
    utterance.lang = spokenLanguage(piece, preferred)
    utterance.onstart = spoke
    utterance.onend = () => say(index + 1)
    utterance.onerror = ({ error }) => {
      if (isStopped || error === 'canceled' || error === 'interrupted') return
      notice(t.voice.readingFailed)
      end()
    }
    speechSynthesis.speak(utterance)
  }
  silence()
  say(0)
  return {
    pause: () => {
      isPaused = true
      speechSynthesis.pause()
    },
    resume: () => {
      isPaused = false
      speechSynthesis.resume()
      const next = held
      held = undefined
      if (next !== undefined) say(next)
    },
    stop: () => {
      isStopped = true
      silence()
    },
  }

  /** Also ends a pause, which would keep the next reading silent. */
  function silence(): void {
    speechSynthesis.cancel()
    speechSynthesis.resume()
  }
}

/** Requests the next piece while one is played. */
function speakWithModel({ api }: Workspace, text: string, { spoke, end }: SpeakerEvents): Speaker {
  const pieces = speechPieces(text, { first: 250, most: 1500 })
  const aborting = new AbortController()
  const audio = new Audio()
  /** Open during a pause. */
  let pause: PromiseWithResolvers<void> | undefined
  /** True from the first sound of a piece to its last. */
  let isSounding = false
  play().catch(fail)
  return {
    pause: () => {
      pause ??= Promise.withResolvers()
      audio.pause()
    },
    resume: () => {
      pause?.resolve()
      pause = undefined
      if (isSounding) startAudio().catch(fail)
    },
    stop: () => {
      aborting.abort()
      pause?.resolve()
      audio.pause()
    },
  }

  function fail(error: unknown): void {
    if (aborting.signal.aborted) return
    noticeError(error)
    end()
  }

  /** Waits for the end of a pause. A pause before the first sound makes `play` reject. */
  async function startAudio(): Promise<void> {
    for (;;) {
      await pause?.promise
      if (aborting.signal.aborted) return
      try {
        return await audio.play()
      } catch (error) {
        if ((error as Error).name !== 'AbortError') throw error
      }
    }
  }

  async function play(): Promise<void> {
    let next = fetchPiece(0)
    for (let index = 0; index < pieces.length; index++) {
      const sound = await next
      next = fetchPiece(index + 1)
      if (aborting.signal.aborted || sound === undefined) return
      await playPiece(sound)
    }
    end()
  }

  function fetchPiece(index: number): Promise<Blob | undefined> {
    const piece = pieces[index]
    const sound = piece === undefined ? Promise.resolve(undefined) : api.speech(piece, aborting.signal)
    // A failure of the piece after next is reported when its turn comes.
    sound.catch(() => undefined)
    return sound
  }

  async function playPiece(sound: Blob): Promise<void> {
    const url = URL.createObjectURL(sound)
    try {
      audio.src = url
      const ended = new Promise<void>((resolve, reject) => {
        audio.onended = () => resolve()
        audio.onerror = () => reject(new Error(t.voice.readingFailed))
        aborting.signal.addEventListener('abort', () => resolve(), { once: true })
      })
      ended.catch(() => undefined)
      await startAudio()
      isSounding = true
      spoke()
      await ended
    } finally {
      isSounding = false
      URL.revokeObjectURL(url)
    }
  }
}
