import { create } from 'zustand'
import { browserStorage } from '../platform/storage.ts'
import { noticeError } from '../state/notices.tsx'
import type { Workspace } from '../workspace/workspace.ts'

/** The service that converts between speech and text. `auto` prefers the browser. */
export const voiceEngines = ['auto', 'browser', 'model', 'off'] as const
export type VoiceEngine = (typeof voiceEngines)[number]
type VoiceUse = 'dictation' | 'reading'

interface VoiceState {
  dictation: VoiceEngine
  reading: VoiceEngine
  /** Language tag of dictated speech. Empty: the browser's. */
  spokenLanguage: string
  dictating: 'off' | 'starting' | 'listening' | 'transcribing'
  /** The message that is read aloud. */
  read: { messageId: string; state: 'loading' | 'speaking' | 'paused' } | null
}

export const useVoice = create<VoiceState>(() => ({
  dictation: storedEngine('dictation'),
  reading: storedEngine('reading'),
  spokenLanguage: browserStorage.get('troupe.voice.language') ?? '',
  dictating: 'off',
  read: null,
}))

function storedEngine(use: VoiceUse): VoiceEngine {
  const kept = browserStorage.get(`troupe.voice.${use}`)
  return voiceEngines.find((engine) => engine === kept) ?? 'auto'
}

export function setVoiceEngine(use: VoiceUse, engine: VoiceEngine): void {
  browserStorage.set(`troupe.voice.${use}`, engine === 'auto' ? null : engine)
  useVoice.setState(use === 'dictation' ? { dictation: engine } : { reading: engine })
}

export function setSpokenLanguage(tag: string): void {
  browserStorage.set('troupe.voice.language', tag === '' ? null : tag)
  useVoice.setState({ spokenLanguage: tag })
}

/** From this time on, a press is push-to-talk: releasing it ends the dictation. */
const holdMs = 500

/**
 * Starts to dictate into the current chat, or stops. Returns the function to call on release: a long press ends with
 * it, after a short one the dictation goes on until the next press.
 */
export function pressDictation(workspace: Workspace): () => void {
  if (useVoice.getState().dictating !== 'off') {
    void withDictation(({ stopDictation }) => stopDictation())
    return () => undefined
  }
  const pressedAt = performance.now()
  useVoice.setState({ dictating: 'starting' })
  void withDictation(({ startDictation }) => startDictation(workspace))
  return () => {
    if (performance.now() - pressedAt >= holdMs) void withDictation(({ stopDictation }) => stopDictation())
  }
}

/** For keys: release is the next `keyup` of any key. */
export function pressDictationKey(workspace: Workspace): void {
  const release = pressDictation(workspace)
  document.addEventListener('keyup', release, { once: true })
}

async function withDictation(work: (loaded: typeof import('./dictation.ts')) => void): Promise<void> {
  try {
    work(await import('./dictation.ts'))
  } catch (error) {
    useVoice.setState({ dictating: 'off' })
    noticeError(error)
  }
}
