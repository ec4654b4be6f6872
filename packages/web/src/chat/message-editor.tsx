import { useState } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { focusOnMount } from '../ui/focus-field.ts'
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
        aria-label={t.chat.editMessage}
        ref={focusOnMount}
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
        <span className="editor-hint">{t.chat.originalStays}</span>
        <Button kind="quiet" onClick={onCancel}>
          {t.ui.cancel}
        </Button>
        <Button kind="primary" disabled={!changed} onClick={save}>
          {t.chat.send}
        </Button>
      </div>
    </div>
  )
}
