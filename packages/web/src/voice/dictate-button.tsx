import { LoaderCircle, Mic } from 'lucide-react'
import { useRef } from 'react'
import { keyText } from '../platform/keyboard.ts'
import { t } from '../texts/t.ts'
import { IconButton } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import './dictate-button.css'
import { pressDictation, useVoice } from './voice-state.ts'

/** A click starts and stops. Holding it is push-to-talk. */
export function DictateButton() {
  const workspace = useWorkspace()
  const isOff = useVoice((state) => state.dictation === 'off')
  const state = useVoice(({ dictating }) => dictating)
  const release = useRef<() => void>(undefined)
  if (isOff) return null
  const isOn = state !== 'off'
  const up = (): void => {
    release.current?.()
    release.current = undefined
  }
  return (
    <IconButton
      className="dictate"
      data-state={state}
      aria-pressed={isOn}
      label={state === 'transcribing' ? t.composer.transcribing : isOn ? t.composer.stopDictating : t.composer.dictate}
      shortcut={keyText('Alt+V')}
      onPointerDown={({ button, currentTarget, pointerId }) => {
        if (button !== 0) return
        currentTarget.setPointerCapture(pointerId)
        release.current = pressDictation(workspace)
      }}
      onPointerUp={up}
      onPointerCancel={up}
      onClick={({ detail }) => {
        // Zero: pressed with a key or by assistive technology, without pointer events.
        if (detail === 0) pressDictation(workspace)
      }}
    >
      {state === 'transcribing' || state === 'starting' ? <LoaderCircle className="dictate-busy" /> : <Mic />}
    </IconButton>
  )
}
