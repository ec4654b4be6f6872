import { Pause, Play, Square, Volume2 } from 'lucide-react'
import { useEffect } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { pauseReading, stopReading } from './read-aloud.ts'
import './reading-bar.css'
import { useVoice } from './voice-state.ts'

/** Controls of the message that is read aloud. Leaving the chat ends it. */
export function ReadingBar() {
  const sessionId = useSession((state) => state.sessionId)
  const read = useVoice((state) => state.read)
  useEffect(() => stopReading, [sessionId])
  if (read === null) return null
  const isPaused = read.state === 'paused'
  return (
    <section className="reading-bar" aria-label={t.voice.readAloud}>
      <Volume2 aria-hidden />
      <output>{read.state === 'loading' ? t.voice.preparing : isPaused ? t.voice.paused : t.voice.readingAloud}</output>
      <IconButton
        label={isPaused ? t.voice.resume : t.voice.pause}
        disabled={read.state === 'loading'}
        onClick={pauseReading}
      >
        {isPaused ? <Play /> : <Pause />}
      </IconButton>
      <IconButton label={t.voice.stopReading} onClick={stopReading}>
        <Square />
      </IconButton>
    </section>
  )
}
