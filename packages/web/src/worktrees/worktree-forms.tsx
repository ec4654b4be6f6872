import { useState } from 'react'
import { t } from '../texts/t.ts'
import { Button } from '../ui/button.tsx'
import type { useWorkspace } from '../workspace/workspace.ts'

type Listed = Awaited<ReturnType<ReturnType<typeof useWorkspace>['api']['worktrees']>>

export function NewWorktree({
  isBusy,
  onCreate,
}: {
  isBusy: boolean
  onCreate: (name: string, base: string) => Promise<void>
}) {
  const [name, setName] = useState('')
  const [base, setBase] = useState('')
  return (
    <form
      className="worktree-new"
      onSubmit={(event) => {
        event.preventDefault()
        void onCreate(name.trim(), base.trim())
      }}
    >
      <label>
        {t.worktrees.name}
        <input
          type="text"
          dir="auto"
          maxLength={200}
          placeholder={t.worktrees.namePlaceholder}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      <label>
        {t.worktrees.base}
        <input
          type="text"
          dir="ltr"
          value={base}
          onChange={(event) => setBase(event.target.value)}
          maxLength={500}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          placeholder={t.worktrees.basePlaceholder}
        />
      </label>
      <Button type="submit" kind="primary" disabled={isBusy}>
        {isBusy ? t.worktrees.creating : t.worktrees.create}
      </Button>
    </form>
  )
}

/** Asked until the person has decided once. Later it is folded. */
export function SetupCommand({
  setup: { command, asked, suggestion },
  onSave,
}: {
  setup: Listed['setup']
  onSave: (command: string | null) => Promise<void>
}) {
  const [typed, setTyped] = useState(command ?? (asked ? '' : (suggestion ?? '')))
  return (
    <details className="worktree-setup" open={!asked && suggestion !== null}>
      <summary>
        {t.worktrees.setupTitle}
        {command !== null && <code>{command}</code>}
      </summary>
      <p>{t.worktrees.setupAbout}</p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void onSave(typed.trim() === '' ? null : typed.trim())
        }}
      >
        <input
          type="text"
          dir="ltr"
          aria-label={t.worktrees.setupTitle}
          maxLength={2000}
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit">{t.worktrees.setupSave}</Button>
        {!asked && <Button onClick={() => void onSave(null)}>{t.worktrees.setupNone}</Button>}
      </form>
    </details>
  )
}
