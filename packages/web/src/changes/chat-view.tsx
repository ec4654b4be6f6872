import type { CallOf, ChangedFile, ChangeTurn, CommandFile } from '@troupe/protocol'
import { Undo2 } from 'lucide-react'
import { useCallback, useState } from 'react'
import { useSession } from '../chat/session/session-context.ts'
import { noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { useWorkspace } from '../workspace/workspace.ts'
import { useChanges } from './change-data.ts'
import { GrowingList, useFilter, useOpenFiles } from './file-list.tsx'
import { FileSection } from './file-section.tsx'
import { Failure, FilterField } from './panel-parts.tsx'
import { reportRevert } from './report.ts'

interface ChatChanges {
  files: ChangedFile[]
  commands: string[]
  commandFiles: CommandFile[]
  isCommandFilesCut: boolean
}

/** Everything this chat changed, or one turn of it. */
export function ChatView({ turn, refreshed }: { turn?: string; refreshed: number }) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const isNew = useSession((state) => state.phase === 'new')
  const [secret, setSecret] = useState(false)
  const read = useCallback(
    async (signal: AbortSignal): Promise<ChatChanges> => {
      const all: ChatChanges = { files: [], commands: [], commandFiles: [], isCommandFilesCut: false }
      if (isNew || refreshed < 0) return all
      for (let offset: number | null = 0; offset !== null && all.files.length < maxFiles;) {
        const query: { turn?: string; secret?: '1'; offset: number; limit: number } = {
          turn,
          secret: secret ? '1' : undefined,
          offset,
          limit: 100,
        }
        const page = await api.call('GET /ai/sessions/:id/changed', { params: { id: sessionId }, query, signal })
        all.files.push(...page.files)
        all.commands = page.commands
        if (offset === 0)
          Object.assign(all, { commandFiles: page.commandFiles, isCommandFilesCut: page.isCommandFilesCut })
        offset = page.next
      }
      return all
    },
    [api, sessionId, turn, secret, isNew, refreshed],
  )
  const { value, failure, refresh } = useChanges(read)
  const [busy, setBusy] = useState(false)
  const filter = useFilter(value?.files ?? [])
  const open = useOpenFiles(value?.files.map(({ path }) => path) ?? [], 5)

  const revert = async (body: CallOf<'POST /ai/sessions/:id/revert'>['body']): Promise<void> => {
    setBusy(true)
    try {
      const done = await api.call('POST /ai/sessions/:id/revert', { params: { id: sessionId }, body })
      reportRevert(done, { api, text: t.changes.reverted, onUndone: () => refresh() })
    } catch (error) {
      noticeError(error)
    }
    setBusy(false)
    refresh()
  }

  if (value === undefined) return <Failure failure={failure} onRetry={() => refresh()} />
  if (value.files.length === 0 && value.commands.length === 0)
    return <p className="side-panel-none">{t.changes.noChatChanges}</p>
  const calls = [...new Set(value.files.flatMap((file) => file.calls))]
  return (
    <>
      <div className="changes-bar">
        <FilterField filter={filter} count={value.files.length} />
        {turn !== undefined && calls.length > 0 && (
          <Button disabled={busy} onClick={() => void revert({ turn })}>
            <Undo2 aria-hidden />
            {t.changes.revertTurn}
          </Button>
        )}
      </div>
      <GrowingList label={t.changes.view[turn === undefined ? 'chat' : 'turn']} items={filter.items}>
        {(file) => (
          <FileSection
            key={file.path}
            path={file.path}
            mark={file.change}
            file={file}
            isOpen={open.isOpen(file.path)}
            onToggle={() => open.toggle(file.path)}
            disabled={busy}
            onShowSecret={() => setSecret(true)}
            actions={
              turn === undefined && file.note !== 'lost'
                ? [
                    {
                      label: t.changes.revert,
                      some: t.changes.revertSome,
                      Icon: Undo2,
                      run: (hunks) =>
                        void revert({
                          path: file.path,
                          version: file.version,
                          ...(hunks !== undefined && { hunks: [...hunks] }),
                        }),
                    },
                  ]
                : []
            }
          >
            {turn !== undefined && file.calls.length > 0 && (
              <div className="change-some">
                {file.calls.map((call, index) => (
                  <Button key={call} disabled={busy} onClick={() => void revert({ call })}>
                    {t.changes.revertCall(index + 1, file.calls.length)}
                  </Button>
                ))}
              </div>
            )}
          </FileSection>
        )}
      </GrowingList>
      {filter.items.length === 0 && value.files.length > 0 && <p className="change-note">{t.changes.noMatch}</p>}
      <ByCommands changes={value} onShowSecret={() => setSecret(true)} />
    </>
  )
}

/** Files that changed while commands ran. Commands leave no record, so these cannot be reverted here. */
function ByCommands({ changes, onShowSecret }: { changes: ChatChanges; onShowSecret: () => void }) {
  const { commands, commandFiles: files, isCommandFilesCut } = changes
  const open = useOpenFiles(
    files.map(({ path }) => path),
    0,
  )
  if (commands.length === 0) return null
  return (
    <section className="git-group" aria-label={t.changes.byCommands}>
      <h2 className="changes-by-commands">{t.changes.byCommands}</h2>
      <p className="change-note">
        {files.length === 0 ? t.changes.commandsRan(commands.length) : t.changes.commandsMayHave(commands.length)}
        {isCommandFilesCut && ` ${t.changes.moreByCommands}`}
      </p>
      <GrowingList label={t.changes.byCommands} items={files}>
        {(file) => (
          <FileSection
            key={file.path}
            path={file.path}
            mark={file.change}
            file={file}
            isOpen={open.isOpen(file.path)}
            onToggle={() => open.toggle(file.path)}
            disabled={false}
            onShowSecret={onShowSecret}
            actions={[]}
          >
            {file.comparedWith === 'commit' && <p className="change-note">{t.changes.comparedWithCommit}</p>}
          </FileSection>
        )}
      </GrowingList>
    </section>
  )
}

const maxFiles = 1000

/** Any earlier turn, chosen from those that changed something. */
export function TurnView({ refreshed }: { refreshed: number }) {
  const { api } = useWorkspace()
  const sessionId = useSession((state) => state.sessionId)
  const isNew = useSession((state) => state.phase === 'new')
  const read = useCallback(
    async (signal: AbortSignal): Promise<ChangeTurn[]> =>
      isNew || refreshed < 0
        ? []
        : (await api.call('GET /ai/sessions/:id/turns', { params: { id: sessionId }, signal })).turns,
    [api, sessionId, isNew, refreshed],
  )
  const { value: turns, failure, refresh } = useChanges(read)
  const [chosen, setChosen] = useState<string>()
  if (turns === undefined) return <Failure failure={failure} onRetry={() => refresh()} />
  const turn = turns.find(({ messageId }) => messageId === chosen) ?? turns[0]
  if (turn === undefined) return <p className="side-panel-none">{t.changes.noTurns}</p>
  return (
    <>
      <label className="changes-turn">
        <span>{t.changes.turn}</span>
        <select value={turn.messageId} onChange={(event) => setChosen(event.target.value)}>
          {turns.map(({ messageId, text, files }) => (
            <option key={messageId} value={messageId}>
              {t.changes.turnOption(text.slice(0, 80), files)}
            </option>
          ))}
        </select>
      </label>
      <ChatView key={turn.messageId} turn={turn.messageId} refreshed={refreshed} />
    </>
  )
}
