import { MessageSquareQuote, WandSparkles } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { noticeError } from '../../state/notices.tsx'
import '../../texts/show-late.ts'
import { t } from '../../texts/t.ts'
import { keyText } from '../../platform/keyboard.ts'
import { Button } from '../../ui/button.tsx'
import { useCurrentModel, useWorkspace } from '../../workspace/workspace.ts'
import type { Editor, SelectedLines } from './create-editor.ts'
import type { EditedFile } from './edited-file.ts'
import { useOwnEscape } from '../use-own-escape.ts'
import './instruction-bar.css'
import { streamEdit } from './stream-edit.ts'

interface InstructionBarProps {
  editor: Editor
  edited: EditedFile
  path: string
  lines: SelectedLines | null
  isOpen: boolean
  onOpen: (isOpen: boolean) => void
  onAsk: () => void
}

type Step = 'ask' | 'running' | 'done'

/** Below the editor: what to do with the selected lines. An edit streams into the editor as a diff. */
export function InstructionBar({ editor, edited, path, lines, isOpen, onOpen, onAsk }: InstructionBarProps) {
  const { api } = useWorkspace()
  const model = useCurrentModel()
  const [instruction, setInstruction] = useState('')
  const [step, setStep] = useState<Step>('ask')
  const [before, setBefore] = useState<string>()
  const running = useRef<AbortController>(undefined)
  const field = useRef<HTMLInputElement>(null)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => () => running.current?.abort(), [])
  useEffect(() => {
    if (isOpen) field.current?.focus()
  }, [isOpen])

  const close = () => {
    running.current?.abort()
    editor.compareWith(null)
    editor.setReadOnly(false)
    setStep('ask')
    setBefore(undefined)
    onOpen(false)
    editor.focus()
  }
  const reject = () => {
    if (before !== undefined) editor.setText(before)
    close()
  }
  const start = async () => {
    if (instruction.trim() === '') return
    const text = editor.text()
    const stop = new AbortController()
    running.current = stop
    setBefore(text)
    setStep('running')
    // Typing meanwhile would move the lines that are being replaced.
    editor.setReadOnly(true)
    editor.compareWith(text, { accept: t.files.accept, reject: t.files.reject })
    try {
      await streamEdit({ api, editor, path, lines, instruction, model, signal: stop.signal })
      setStep('done')
    } catch (error) {
      if (stop.signal.aborted) return
      noticeError(error)
      editor.setText(text)
      editor.compareWith(null)
      setStep('ask')
    } finally {
      editor.setReadOnly(edited.getState().file?.isReadOnly === true)
    }
  }

  useOwnEscape(place, () => {
    if (isOpen) reject()
    return isOpen
  })

  return <div ref={place}>{isOpen ? form() : offers()}</div>

  function offers() {
    return (
      <div className="instruction-bar">
        <span className="instruction-lines">{lines !== null && t.files.linesSelected(lines.from, lines.to)}</span>
        <Button kind="quiet" title={keyText('Mod+L')} onClick={onAsk}>
          <MessageSquareQuote aria-hidden />
          {t.files.ask}
        </Button>
        <Button kind="quiet" title={keyText('Mod+K')} onClick={() => onOpen(true)}>
          <WandSparkles aria-hidden />
          {t.files.instruct}
        </Button>
      </div>
    )
  }

  function form() {
    return (
      <form
        className="instruction-bar"
        onSubmit={(event) => {
          event.preventDefault()
          if (step === 'ask') void start()
        }}
      >
        <input
          ref={field}
          value={instruction}
          aria-label={t.files.instruction}
          placeholder={lines === null ? t.files.instructionFile : t.files.instruction}
          readOnly={step !== 'ask'}
          dir="auto"
          onChange={(event) => setInstruction(event.target.value)}
        />
        {step === 'ask' && (
          <Button type="submit" kind="primary">
            {t.files.edit}
          </Button>
        )}
        {step === 'running' && <output className="instruction-lines">{t.files.editing}</output>}
        {step === 'done' && (
          <Button kind="primary" onClick={close}>
            {t.files.acceptAll}
          </Button>
        )}
        <Button onClick={reject}>
          {step === 'ask' ? t.ui.cancel : step === 'running' ? t.files.stop : t.files.rejectAll}
        </Button>
      </form>
    )
  }
}
