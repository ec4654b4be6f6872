import type { DataParts } from '@troupe/protocol'
import { ChevronRight, Redo2, Undo2 } from 'lucide-react'
import { useId, useState } from 'react'
import { Markdown } from '../../content/markdown.tsx'
import '../../texts/show-cards.ts'
import { t } from '../../texts/t.ts'
import { Button } from '../../ui/button.tsx'
import { Group } from '../../ui/elements.tsx'
import { useDisclosure, useSession, useSessionStore } from '../session/session-context.ts'
import { visibleMessages } from '../session/session-state.ts'
import './compaction-part.css'
import { compactionState, type CompactionState, readSummary } from './compaction-state.ts'

type Compaction = DataParts['compaction']

export function CompactionPart({ id, compaction }: { id: string; compaction: Compaction }) {
  const { goTo } = useSessionStore()
  const state = useSession((session) => compactionState(compaction, visibleMessages(session)))
  const { titles, notes } = t.compaction
  const [open, setOpen] = useDisclosure(id, false)
  const bodyId = useId()
  return (
    <Group className="compaction" data-state={state} label={titles[state]}>
      <div className="compaction-line">
        <button
          type="button"
          className="compaction-head"
          aria-expanded={open}
          aria-controls={bodyId}
          onClick={() => setOpen(!open)}
        >
          <ChevronRight className="tool-chevron" aria-hidden />
          {titles[state]}
        </button>
        <Switch compaction={compaction} state={state} />
      </div>
      <div id={bodyId} className="compaction-body" hidden={!open}>
        {open && (
          <>
            <p className="compaction-note">
              {notes[state]}{' '}
              <button type="button" onClick={() => void goTo(compaction.upTo.messageId, { inSight: true })}>
                {t.compaction.goToEnd}
              </button>
            </p>
            <Summary text={compaction.summary} />
          </>
        )}
      </div>
    </Group>
  )
}

function Summary({ text }: { text: string }) {
  const { summarized, kept } = readSummary(text)
  return (
    <>
      <Markdown text={summarized} done />
      {kept !== '' && (
        <>
          <h4 className="compaction-kept">{t.compaction.kept}</h4>
          <Markdown text={kept} done />
        </>
      )}
    </>
  )
}

/** Shown only where it affects the prompt. Sub-agents manage their own conversations. */
function Switch({ compaction, state }: { compaction: Compaction; state: CompactionState }) {
  const { switchCompaction } = useSessionStore()
  const isRunning = useSession((session) => session.run !== null)
  const isOwn = useSession((session) => session.agentId === null)
  const [busy, setBusy] = useState(false)
  if (!isOwn || state === 'replaced' || state === 'past') return null
  const isOff = state === 'off'
  return (
    <Button
      kind="quiet"
      className="compaction-switch"
      aria-label={isOff ? t.compaction.redoSummary : t.compaction.undoSummary}
      title={isRunning ? t.compaction.whenDone : undefined}
      // `disabled` would drop the focus when set during a click, so use `aria-disabled`.
      aria-disabled={isRunning || busy}
      onClick={() => {
        if (isRunning || busy) return
        setBusy(true)
        void switchCompaction(compaction.id, !isOff).finally(() => setBusy(false))
      }}
    >
      {isOff ? <Redo2 aria-hidden /> : <Undo2 aria-hidden />}
      {isOff ? t.compaction.redo : t.ui.undo}
    </Button>
  )
}
