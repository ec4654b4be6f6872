import { useCallback, useState } from 'react'
import { textIn } from '../api/read-fields.ts'
import { useSession, useSessionStore } from '../chat/session/session-context.ts'
import { messageText } from '../chat/session/session-state.ts'
import { notice, noticeError } from '../state/notices.tsx'
import { isNarrowForPanels } from '../state/panels.ts'
import type { PanelProps } from '../state/panels-state.ts'
import '../texts/show-late.ts'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { VisibleText } from '../ui/elements.tsx'
import { Segments } from '../ui/segments.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { useChanges } from './change-data.ts'
import { GrowingList, useOpenFiles } from './file-list.tsx'
import { FileSection } from './file-section.tsx'
import { Failure } from './panel-parts.tsx'
import './rewind-panel.css'

type Scope = 'both' | 'conversation' | 'files'

/** Goes back to a message (`messageId`): before the person sent it, or after the answer. Shows first what changes. */
export function RewindPanel({ panel }: PanelProps) {
  const { api } = useWorkspace()
  const { panels, rewindTo, setDraft, getState } = useSessionStore()
  const messageId = textIn(panel.data['messageId']) ?? ''
  const sessionId = useSession((state) => state.sessionId)
  const message = useSession((state) => state.messages.find(({ id }) => id === messageId))
  const isRunning = useSession((state) => state.run !== null)
  const [scope, setScope] = useState<Scope>('both')
  const [isWorking, setIsWorking] = useState(false)
  const read = useCallback(
    (signal: AbortSignal) =>
      api.call('GET /ai/sessions/:id/checkpoint', { params: { id: sessionId }, query: { message: messageId }, signal }),
    [api, sessionId, messageId],
  )
  const { value, failure, refresh } = useChanges(read)
  const open = useOpenFiles(value?.files.map(({ path }) => path) ?? [], 3)
  if (message === undefined) return <p className="side-panel-none">{t.rewind.gone}</p>
  if (value === undefined) return <Failure failure={failure} onRetry={() => refresh()} />
  const isQuestion = message.role === 'user'
  const hasFiles = value.files.length > 0
  const words = messageText(message).trim()

  const rewind = async () => {
    setIsWorking(true)
    try {
      const reverted =
        scope !== 'conversation' && hasFiles
          ? await api.call('POST /ai/sessions/:id/revert', {
              params: { id: sessionId },
              body: { since: messageId, version: value.version },
            })
          : undefined
      for (const { path, reason } of reverted?.skipped.slice(0, 5) ?? []) notice(t.changes.skipped(path, reason))
      const draftBefore = getState().draft
      if (scope !== 'files') {
        await rewindTo(isQuestion ? message.parentMessageId : message.id)
        if (isQuestion && draftBefore.trim() === '') setDraft(words)
      }
      const undo = async () => {
        try {
          if (reverted !== undefined)
            await api.call('POST /ai/reverts/:revertId/undo', { params: { revertId: reverted.revertId } })
          if (scope !== 'files') {
            await rewindTo(undefined)
            if (getState().draft === words) setDraft(draftBefore)
          }
        } catch (error) {
          noticeError(error)
        }
      }
      notice(t.rewind.done, { label: t.rewind.undo, onSelect: () => void undo() })
      panels.close(panel.id)
      if (isNarrowForPanels()) panels.hide()
    } catch (error) {
      noticeError(error)
      refresh()
    }
    setIsWorking(false)
  }

  return (
    <div className="side-panel-body rewind">
      <p className="rewind-to">{isQuestion ? t.rewind.to : t.rewind.after}</p>
      <blockquote dir="auto">
        <VisibleText text={words.length > 300 ? `${words.slice(0, 300)}…` : words} />
      </blockquote>
      <Segments
        label={t.rewind.what}
        value={scope}
        options={(['both', 'conversation', 'files'] as const).map((value) => ({ value, label: t.rewind[value] }))}
        onChange={setScope}
      />
      {scope !== 'files' && <p className="rewind-note">{t.rewind.kept}</p>}
      {scope !== 'conversation' && (
        <>
          <h2>{t.rewind.preview}</h2>
          {!hasFiles && <p className="rewind-note">{t.rewind.noFiles}</p>}
          <GrowingList label={t.rewind.preview} items={value.files}>
            {(file) => (
              <FileSection
                key={file.path}
                path={file.path}
                mark={file.change}
                file={file}
                isOpen={open.isOpen(file.path)}
                onToggle={() => open.toggle(file.path)}
                actions={[]}
                disabled={false}
              />
            )}
          </GrowingList>
          {value.skipped.length > 0 && (
            <>
              <p className="rewind-note">{t.rewind.skipped}</p>
              <ul>
                {value.skipped.map(({ path, reason }) => (
                  <li key={path}>
                    <VisibleText text={path} as="name" />: {reason}
                  </li>
                ))}
              </ul>
            </>
          )}
          {value.commands.length > 0 && <p className="rewind-note">{t.rewind.commands(value.commands.length)}</p>}
        </>
      )}
      <div className="rewind-buttons">
        <Button
          kind="primary"
          disabled={isWorking || isRunning || (scope === 'files' && !hasFiles)}
          onClick={() => void rewind()}
        >
          {t.rewind.run}
        </Button>
        <Button kind="quiet" onClick={() => panels.close(panel.id)}>
          {t.ui.cancel}
        </Button>
        {isRunning && <output>{t.rewind.busy}</output>}
      </div>
    </div>
  )
}
