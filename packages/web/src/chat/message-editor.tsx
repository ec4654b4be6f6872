import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { focusField } from '../ui/focus-field.ts'
import { GrowingTextarea } from '../ui/growing-textarea.tsx'

/** Other words for a message. Enter saves, Escape leaves it as it was. */
export function MessageEditor({
  text,
  onSave,
  onCancel,
}: {
  text: string
  onSave: (text: string) => void
  onCancel: () => void
}) {
  const [value, setValue] = useState(text)
  const changed = value.trim() !== '' && value !== text
  const save = () => {
    if (changed) onSave(value)
  }
  return (
    <div className="editor">
      <GrowingTextarea
        aria-label="Edit your message"
        ref={focusField}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onFocus={(event) => event.target.setSelectionRange(text.length, text.length)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Escape') {
            event.stopPropagation()
            onCancel()
          }
          if (event.key !== 'Enter' || event.shiftKey) return
          event.preventDefault()
          save()
        }}
      />
      <div className="editor-buttons">
        <span className="editor-hint">The original stays as another branch.</span>
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
        <Button kind="primary" disabled={!changed} onClick={save}>
          Send
        </Button>
      </div>
    </div>
  )
}
