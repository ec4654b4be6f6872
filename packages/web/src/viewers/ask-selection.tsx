import { MessageSquareQuote } from 'lucide-react'
import { type RefObject, useEffect, useState } from 'react'
import { useSessionStore } from '../chat/session/session-context.ts'
import { addToDraft } from '../composer/add-to-draft.ts'
import { mentionOf } from '../files/file-actions.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import type { ViewedFile } from '../api/viewer-kind.ts'

const maxQuoted = 20_000

interface SelectedPart {
  text: string
  /** `p. 12` or `Sheet1!B4:D20`. Empty if the document has no places. */
  anchor: string
}

/** Adds the selection to the message, with its file and its place. Shown while something is selected. */
export function AskButton({ file, selected }: { file: ViewedFile; selected: SelectedPart | undefined }) {
  const session = useSessionStore()
  if (selected === undefined) return null
  return (
    <Button
      kind="quiet"
      className="viewer-ask"
      // A press must not clear the selection before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => addToDraft(session, quoteOf(file, selected))}
    >
      <MessageSquareQuote aria-hidden />
      {t.files.ask}
    </Button>
  )
}

function quoteOf({ path, blob }: ViewedFile, { text, anchor }: SelectedPart): string {
  const cut = text.slice(0, maxQuoted).toWellFormed()
  const fence = '`'.repeat(Math.max(3, ...[...cut.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)))
  const name = blob === undefined ? mentionOf(path) : path
  return `${name}${anchor === '' ? '' : ` (${anchor})`}\n${fence}\n${cut}\n${fence}\n\n`
}

/** The selected text inside an element. The nearest `data-anchor` above the start gives its place. */
export function useSelectedText(host: RefObject<HTMLElement | null>): SelectedPart | undefined {
  const [selected, setSelected] = useState<SelectedPart>()
  useEffect(() => {
    const look = () => {
      const selection = document.getSelection()
      const start = selection?.anchorNode
      if (selection === null || start === null || start === undefined || host.current?.contains(start) !== true) {
        setSelected(undefined)
        return
      }
      const text = selection.toString().trim()
      const element = start instanceof Element ? start : start.parentElement
      const anchor = element?.closest<HTMLElement>('[data-anchor]')?.dataset['anchor'] ?? ''
      setSelected(text === '' ? undefined : { text, anchor })
    }
    document.addEventListener('selectionchange', look)
    return () => document.removeEventListener('selectionchange', look)
  }, [host])
  return selected
}
