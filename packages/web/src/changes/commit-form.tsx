import type { GitReadyStatus } from '@troupe/protocol'
import { Sparkles } from 'lucide-react'
import { useState } from 'react'
import { notice, noticeError } from '../state/notices.tsx'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import { GrowingTextarea } from '../ui/elements.tsx'
import { useCurrentModel, useWorkspace } from '../workspace/workspace.ts'
import type { ChangeGit } from './change-data.ts'

interface CommitFormProps {
  status: GitReadyStatus
  busy: boolean
  change: ChangeGit
}

/** A message, written by the person or drafted by the model, and the commit. */
export function CommitForm({ status, busy, change }: CommitFormProps) {
  const { api } = useWorkspace()
  const model = useCurrentModel()
  const [message, setMessage] = useState('')
  const [doing, setDoing] = useState<'draft' | 'commit'>()
  const draft = async () => {
    setDoing('draft')
    try {
      setMessage((await api.call('POST /ai/git/message', { body: { model } })).message)
    } catch (error) {
      noticeError(error)
    }
    setDoing(undefined)
  }
  const commit = async () => {
    if (message.trim() === '') return
    setDoing('commit')
    const isDone = await change(async () => {
      const body = { message, stagedVersion: status.stagedVersion }
      const done = await api.call('POST /ai/git/commit', { body })
      notice(t.changes.committed(done.subject))
      return done.status
    })
    if (isDone) setMessage('')
    setDoing(undefined)
  }
  return (
    <form
      className="commit-form"
      onSubmit={(event) => {
        event.preventDefault()
        void commit()
      }}
    >
      {status.stagedElsewhere > 0 && <p>{t.changes.elsewhereStaged(status.stagedElsewhere)}</p>}
      <GrowingTextarea
        aria-label={t.changes.message}
        placeholder={t.changes.message}
        dir="auto"
        value={message}
        onChange={(event) => setMessage(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
          event.preventDefault()
          void commit()
        }}
      />
      <div>
        <Button kind="primary" type="submit" disabled={busy || doing !== undefined || message.trim() === ''}>
          {doing === 'commit' ? t.changes.committing : t.changes.commit}
        </Button>
        <Button disabled={busy || doing !== undefined} onClick={() => void draft()}>
          <Sparkles aria-hidden />
          {doing === 'draft' ? t.changes.drafting : t.changes.draft}
        </Button>
      </div>
    </form>
  )
}
