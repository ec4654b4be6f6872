import { estimateTokens } from '@troupe/protocol'
import { TriangleAlert } from 'lucide-react'
import { lazy, type ReactNode, Suspense, useId, useState } from 'react'
import { textIn } from '../api/read-fields.ts'
import { toErrorInfo } from '../api/request.ts'
import { formatNumber } from '../texts/format.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { GrowingTextarea } from '../ui/elements.tsx'
import './text-editor.css'

const TextDiff = lazy(async () => ({ default: (await import('./text-diff.tsx')).TextDiff }))

/** Compares two texts. The library for it loads when it is first shown. */
export function LazyDiff(props: { before: string; after: string; title: string }) {
  return (
    <ErrorBoundary fallback={<p className="settings-failure">{t.editor.diffFailed}</p>}>
      <Suspense fallback={<p className="settings-note">{t.ui.loading}</p>}>
        <TextDiff {...props} />
      </Suspense>
    </ErrorBoundary>
  )
}

export interface StoredText {
  text: string
  version: string
}

interface TextEditorProps {
  /** Accessible name of the text field. */
  label: string
  stored: StoredText
  placeholder?: string
  /** Characters that models get at most. */
  longest?: number
  /** Saves the text if the stored one still has this version, and resolves with what is stored then. Throws the server's error. */
  onSave: (text: string, version: string) => Promise<StoredText>
  /** Loads the stored text again. */
  onReload: () => Promise<void>
  /** Shows the size in tokens, for texts that are part of every request. */
  isSent?: boolean
  buttons?: (draft: string) => ReactNode
  children?: (draft: string) => ReactNode
}

/**
 * Edits a stored text. If it changed since the edit began, saving shows the difference and lets the user choose a
 * version.
 */
export function TextEditor(props: TextEditorProps) {
  const { label, stored, placeholder, longest, onSave, onReload, isSent = true, buttons, children } = props
  const [edit, setEdit] = useState<{ text: string; base: StoredText } | null>(null)
  const [conflict, setConflict] = useState<StoredText | null>(null)
  const [outcome, setOutcome] = useState<{ ok: boolean; text: string } | null>(null)
  const [busy, setBusy] = useState(false)
  const size = useId()
  const draft = edit?.text ?? stored.text
  const isChanged = edit !== null && edit.text.trimEnd() !== stored.text.trimEnd()
  // A new version of the same text is no change that saving could undo.
  const base = edit === null || edit.base.text === stored.text ? stored : edit.base

  const save = async (version: string) => {
    setBusy(true)
    setOutcome(null)
    try {
      const saved = await onSave(draft, version)
      setEdit((now) => (now === null || now.text === draft ? null : { text: now.text, base: saved }))
      setConflict(null)
      setOutcome({ ok: true, text: t.settings.general.saved })
    } catch (error) {
      const { name, message, data } = toErrorInfo(error)
      const theirs = textIn(data?.['text'])
      if (name === 'FileChanged' && theirs !== undefined)
        setConflict({ text: theirs, version: textIn(data?.['version']) ?? '' })
      else setOutcome({ ok: false, text: message })
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className="text-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (isChanged && !busy) void save(base.version)
      }}
    >
      <GrowingTextarea
        aria-label={label}
        aria-describedby={isSent ? size : undefined}
        dir="auto"
        spellCheck={isSent}
        placeholder={placeholder}
        value={draft}
        onChange={({ target }) => {
          setEdit(target.value === base.text ? null : { text: target.value, base })
          setOutcome(null)
        }}
      />
      {isSent && (
        <p className="text-editor-size" id={size}>
          {draft.trim() !== '' && t.editor.size(formatNumber(estimateTokens(draft)))}
          {longest !== undefined && draft.length > longest && ` · ${t.editor.tooLong(formatNumber(longest))}`}
        </p>
      )}
      {conflict === null ? (
        <div className="settings-row-buttons">
          <Button type="submit" kind={isChanged ? 'primary' : 'plain'} disabled={!isChanged || busy}>
            {t.ui.save}
          </Button>
          {isChanged && (
            <Button kind="quiet" disabled={busy} onClick={() => setEdit(null)}>
              {t.editor.reset}
            </Button>
          )}
          {buttons?.(draft)}
        </div>
      ) : (
        <div className="text-editor-conflict" role="alert">
          <p className="settings-warning">
            <TriangleAlert aria-hidden />
            {t.editor.changed}
          </p>
          <LazyDiff before={conflict.text} after={draft} title={t.editor.compareMine} />
          <div className="settings-row-buttons">
            <Button
              disabled={busy}
              onClick={() => {
                setEdit(null)
                setConflict(null)
                void onReload()
              }}
            >
              {t.editor.useTheirs}
            </Button>
            <Button kind="danger" disabled={busy} onClick={() => void save(conflict.version)}>
              {t.editor.overwrite}
            </Button>
          </div>
        </div>
      )}
      <output className={outcome?.ok === false ? 'settings-failure' : 'settings-outcome'}>{outcome?.text}</output>
      {children?.(draft)}
    </form>
  )
}
