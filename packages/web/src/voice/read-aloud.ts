import { notice, noticeError } from '../state/notices.tsx'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { speakableText, speechPieces, spokenLanguage } from './speakable.ts'
import { useVoice } from './voice-state.ts'

/** What speaks. `end` is called once, after the last piece, a failure or `stop`. */
interface Speaker {
  pause(): void
  resume(): void
  stop(): void
}

let speaker: Speaker | null = null

/** Reads a message aloud, with the browser's voice or a model's. Ends the one before. */
export async function readAloud(workspace: Workspace, message: { id: string; text: string }): Promise<void> {
  stopReading()
  const text = speakableText(message.text, { code: t.voice.codeBlock })
  if (text === '') return notice(t.voice.nothingToRead)
  const read = { messageId: message.id, state: 'loading' as const }
  useVoice.setState({ read })
  const isCurrent = () => useVoice.getState().read?.messageId === message.id
  try {
    const engine = await chooseEngine(workspace)
    if (!isCurrent()) return
    if (engine === null) {
      notice(t.voice.noVoice, { label: t.voice.openSettings, onSelect: () => workspace.app.openSettings('voice') })
      return stopReading()
    }
    const on = {
      spoke: () => isCurrent() && useVoice.setState({ read: { ...read, state: 'speaking' } }),
      end: () => isCurrent() && stopReading(),
    }
    speaker = engine === 'browser' ? speakWithBrowser(text, on) : speakWithModel(workspace, text, on)
  } catch (error) {
    stopReading()
    noticeError(error)
  }
}

export function stopReading(): void {
  const ended = speaker
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
  const say = (index: number): void => {
    const piece = pieces[index]
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
  speechSynthesis.cancel()
  say(0)
  return {
    pause: () => speechSynthesis.pause(),
    resume: () => speechSynthesis.resume(),
    stop: () => {
      isStopped = true
      speechSynthesis.cancel()
    },
  }
}

/** Requests the next piece while one is played. */
function speakWithModel({ api }: Workspace, text: string, { spoke, end }: SpeakerEvents): Speaker {
  const pieces = speechPieces(text, { first: 250, most: 1500 })
  const aborting = new AbortController()
  const audio = new Audio()
  void play().catch((error: unknown) => {
    if (aborting.signal.aborted) return
    noticeError(error)
    end()
  })
  return {
    pause: () => audio.pause(),
    resume: () => void audio.play(),
    stop: () => {
      aborting.abort()
      audio.pause()
    },
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
      await audio.play()
      spoke()
      await ended
    } finally {
      URL.revokeObjectURL(url)
    }
  }
}
