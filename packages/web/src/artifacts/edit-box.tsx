import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import type { Picked } from '../content/pick-context.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'

interface EditBoxProps {
  title: string
  path: string | undefined
  version: number | undefined
  picked: Picked | undefined
  /** Error of the preview that is to be fixed. */
  failure: string | undefined
  onClose: () => void
}

/** Asks what to change about the selected part, or about everything, and sends it as a message. */
export function EditBox({ title, path, version, picked, failure, onClose }: EditBoxProps) {
  const { send, enqueue } = useSessionStore()
  const isRunning = useSession(({ run }) => run !== null)
  const [wish, setWish] = useState(failure === undefined ? '' : t.artifacts.fixWish(failure))
  const input = useRef<HTMLTextAreaElement>(null)
  useEffect(() => input.current?.focus(), [])
  const close = useEffectEvent(onClose)
  useEffect(() => {
    const { current } = input
    // Not a handler of React, which would come after that of the panel and close it as well.
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.isComposing) return
      event.preventDefault()
      close()
    }
    current?.addEventListener('keydown', onKey)
    return () => current?.removeEventListener('keydown', onKey)
  }, [])
  const submit = () => {
    if (wish.trim() === '') return
    const text = editMessage({ title, path, version, picked }, wish.trim())
    if (isRunning) enqueue(text)
    else void send(text)
    onClose()
  }
  return (
    <form
      className="artifact-edit"
      aria-label={t.artifacts.edit}
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <output className="artifact-picked">
        {picked === undefined ? (
          t.artifacts.pickHint
        ) : (
          <>
            {picked.tag !== '' && <code>{`<${picked.tag}>`}</code>}{' '}
            <VisibleText text={picked.text.slice(0, 300) || t.artifacts.noText} />
          </>
        )}
      </output>
      <textarea
        ref={input}
        rows={2}
        dir="auto"
        value={wish}
        aria-label={t.artifacts.instruction}
        placeholder={t.artifacts.instruction}
        onChange={(event) => setWish(event.target.value)}
        onKeyDown={(event) => {
          // The keys belong to the input method.
          if (event.nativeEvent.isComposing) return
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          submit()
        }}
      />
      <div className="artifact-edit-actions">
        <Button kind="primary" type="submit" disabled={wish.trim() === ''}>
          {isRunning ? t.artifacts.queue : t.artifacts.send}
        </Button>
        <Button onClick={onClose}>{t.artifacts.cancel}</Button>
      </div>
    </form>
  )
}

/** Message that names the artifact, quotes the selection and gives the instruction. */
export function editMessage(
  { title, path, version, picked }: Pick<EditBoxProps, 'title' | 'path' | 'version' | 'picked'>,
  wish: string,
): string {
  const quoted = (picked?.text ?? '').split('\n').filter((line) => line.trim() !== '')
  const quote = quoted.map((line) => `> ${line}`).join('\n')
  const part = picked === undefined ? '' : t.artifacts.selectedPart(picked.tag)
  const head = t.artifacts.editMessage(title, path, version)
  return [head, [part, quote].filter(Boolean).join('\n'), wish].filter(Boolean).join('\n\n')
}
